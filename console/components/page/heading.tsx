import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** The name of the current page, with which the document title starts. */
const currentPageName = signal<string | undefined>(undefined)

type HeadingProps = {
  children: string
  /** The name of the page, if several pages share the heading. */
  pageName?: string | undefined
  /** Whether only screen readers get it. */
  isHidden?: boolean
}

/** The `<h1>` of a page. `window/focus.ts` focuses it when the page opens, so that screen readers read it. */
export function Heading({ children: text, pageName, isHidden }: HeadingProps) {
  const name = pageName && pageName !== text ? `${pageName} · ${text}` : text
  useLayoutEffect(() => {
    currentPageName.value = name
    return () => {
      currentPageName.value = undefined
    }
  }, [name])
  return <h1 class={isHidden ? 'visually-hidden' : undefined}>{text}</h1>
}

/** Sets the document title. @param screen the title of the screen in the navigation. */
export function DocumentTitle({ screen }: { screen: string | undefined }) {
  const { value: name } = currentPageName
  // The name of a page can already end in the title of its screen, such as the heading of the screen itself.
  const pageTitle =
    name === undefined || screen === undefined || name.endsWith(screen) ? (name ?? screen) : `${name} · ${screen}`
  const title = pageTitle === undefined ? 'Signalbox' : `${pageTitle} · Signalbox`
  useLayoutEffect(() => {
    document.title = title
  }, [title])
  return null
}
