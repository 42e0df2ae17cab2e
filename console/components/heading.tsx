import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** What the page that is open is called: the document's title begins with it. */
const called = signal<string | undefined>(undefined)

type HeadingProps = {
  children: string
  /** Where one page of several that have the same heading is open: its own name. */
  part?: string | undefined
  isUnseen?: boolean
}

/** The one `<h1>` of a page. Who opens the page has the focus there, and hears its name. */
export function Heading({ children: text, part, isUnseen }: HeadingProps) {
  const name = part && part !== text ? `${part} · ${text}` : text
  useLayoutEffect(() => {
    called.value = name
    return () => {
      called.value = undefined
    }
  }, [name])
  return <h1 class={isUnseen ? 'unseen' : undefined}>{text}</h1>
}

/** @param screen what the navigation calls the screen. */
export function DocumentTitle({ screen }: { screen: string | undefined }) {
  const { value: name } = called
  const own =
    name === undefined || screen === undefined || name.endsWith(screen) ? (name ?? screen) : `${name} · ${screen}`
  const title = own === undefined ? 'Signalbox' : `${own} · Signalbox`
  useLayoutEffect(() => {
    document.title = title
  }, [title])
  return null
}
