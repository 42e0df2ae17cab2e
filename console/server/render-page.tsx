import { options, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { pageSettings } from '../api/address/page-settings.ts'
import { setWorkspaceOfPage } from '../api/address/workspace-path.ts'
import { keysAddress } from '../api/keys-by-hash.ts'
import { addPreloadedResponses, currentSessionPath, dropPreloadedResponses } from '../api/preloaded-responses.ts'
import { addWorkspaceToAddress, sessionState } from '../api/session.ts'
import type { Generation, Session } from '../api/types.ts'
import { App, preloadScreen } from '../app.tsx'
import { prefixLinks } from '../base-path-location.tsx'
import { readTheme } from '../components/window/theme.ts'
import { type Size, setWindowSize } from '../components/window/window-size.ts'
import { setTimeZone } from '../format/time-zone.ts'
import { screens } from '../screens.ts'
import { location } from './browser-globals.ts'
import { styleRule } from './style-rule.ts'

/** A request for a page. `answers`: the successful responses of the API, by address. */
export type Visit = {
  /** The path, with the prefixes of the service and of the workspace, and the query. */
  url: string
  settings: { role?: string | undefined; theme?: string | undefined }
  answers: Record<string, unknown>
  /** The window of the reader; undefined if the browser has not sent it. */
  window?: (Size & { timeZone: string }) | undefined
}

export type PageRenderer = {
  /** The addresses of API requests that the first rows need, in addition to the rows themselves. */
  additionalRequests: (answers: Record<string, unknown>) => string[]
  /**
   * Renders a page as the browser would before it has requested anything.
   * @returns its markup, and style rules in place of `style` attributes, which their content security policy forbids.
   */
  render: (visit: Visit) => { markup: string; rules: string }
}

/** The screens whose first rows are rendered. */
const renderedScreens = screens.flatMap(({ name, firstRequest }) =>
  firstRequest === undefined ? [] : [{ name, firstRequest }],
)

export const loadScreens = () => Promise.all(renderedScreens.map(({ name }) => preloadScreen(name)))

let rules: string[] = []

/** Moves the `style` of an element to a rule. */
function moveStyle({ type, props }: VNode<{ style?: object; 'data-rule'?: string }>): void {
  if (typeof type !== 'string' || props.style === undefined) return
  props['data-rule'] = String(rules.length)
  rules.push(`[data-rule="${rules.length}"]{${styleRule(props.style)}}`)
  delete props.style
}

prefixLinks()
const previousHook = options.vnode
options.vnode = (vnode) => {
  moveStyle(vnode)
  previousHook?.(vnode)
}

const rowsIn = (answers: Record<string, unknown>): Generation[] | undefined =>
  renderedScreens.flatMap(({ firstRequest }) => {
    const address = Object.keys(answers).find((path) => path.endsWith(firstRequest))
    return address === undefined ? [] : [(answers[address] as { data: Generation[] }).data]
  })[0]

const sessionIn = (answers: Record<string, unknown>) =>
  (answers[currentSessionPath] as { data: Session } | undefined)?.data

/** Rendering is synchronous, so that the state of the modules belongs to one page at a time. */
function prepare({ url, settings, answers, window }: Visit): void {
  const { pathname, search } = new URL(url, location.origin)
  Object.assign(location, { pathname, search })
  // A page is rendered only for a browser with a session cookie, whose presence is `data-session` without a value.
  Object.assign(pageSettings, { role: settings.role, theme: settings.theme, session: '' })
  readTheme()
  rules = []
  dropPreloadedResponses()
  addPreloadedResponses(answers)
  setWorkspaceOfPage(pathname)
  const session = sessionIn(answers)
  sessionState.value = session ? { state: 'signed-in', session } : { state: 'unknown' }
  if (session) addWorkspaceToAddress(session)
  if (!window) return
  setWindowSize(window)
  setTimeZone(window.timeZone)
}

export const pageRenderer: PageRenderer = {
  additionalRequests(answers) {
    const [session, rows] = [sessionIn(answers), rowsIn(answers)]
    const address = session && rows && keysAddress(session, rows)
    return address === undefined ? [] : [address]
  },
  render(visit) {
    prepare(visit)
    const hasScreen = visit.window !== undefined && sessionIn(visit.answers) && rowsIn(visit.answers)
    return { markup: renderToString(hasScreen ? <App /> : <App screen={null} />), rules: rules.join('') }
  },
}
