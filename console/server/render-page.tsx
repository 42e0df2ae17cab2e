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

/** The address, settings, API responses and window that a page is rendered from. */
export type RenderInput = {
  /** The path, with the prefixes of the service and of the workspace, and the query. */
  url: string
  settings: { role?: string | undefined; theme?: string | undefined }
  /** The bodies of successful API responses that the page contains, by URL. */
  responses: Record<string, unknown>
  /** The window of the reader; undefined if the browser has not sent it. */
  window?: (Size & { timeZone: string }) | undefined
}

export type PageRenderer = {
  /** The URLs of further API requests that the request log needs: the keys that its rows name. */
  additionalRequests: (responses: Record<string, unknown>) => string[]
  /**
   * Renders a page as the browser would before it has requested anything.
   * @returns its markup, and style rules in place of `style` attributes, because the content security policy of
   * the page forbids inline styles.
   */
  render: (input: RenderInput) => { markup: string; rules: string }
}

/** The only screen that is rendered on the server. Of the others the server renders only the frame. */
const requestLog = screens.find(({ firstRequest }) => firstRequest !== undefined)!

export const loadRequestLog = () => preloadScreen(requestLog.name)

/** The style rules of the page that is being rendered. */
let rules: string[] = []

/** Moves the `style` of an element to a rule. */
function moveStyle({ type, props }: VNode<{ style?: object; 'data-rule'?: string }>): void {
  if (typeof type !== 'string' || props.style === undefined) return
  props['data-rule'] = String(rules.length)
  rules.push(`[data-rule="${rules.length}"]{${styleRule(props.style)}}`)
  delete props.style
}

/** Preact calls the hooks for each element that it creates, in any order: one changes links, the other styles. */
function installElementHooks(): void {
  prefixLinks()
  const previousHook = options.vnode
  options.vnode = (vnode) => {
    moveStyle(vnode)
    previousHook?.(vnode)
  }
}

installElementHooks()

/** The rows of the request log; undefined if the page shows another screen. */
function requestLogRows(responses: Record<string, unknown>): Generation[] | undefined {
  const url = Object.keys(responses).find((one) => one.endsWith(requestLog.firstRequest!))
  return url === undefined ? undefined : (responses[url] as { data: Generation[] }).data
}

const sessionIn = (responses: Record<string, unknown>) =>
  (responses[currentSessionPath] as { data: Session } | undefined)?.data

/**
 * Sets the state that modules of the console have in a browser from its page: `location`, `pageSettings`, the theme, the preloaded
 * responses, the workspace, the session, the size of the window and the time zone. Each page sets all of it, except that a page without
 * a window keeps the last two: it has only the frame, which does not use them. Rendering is synchronous, so that the state belongs to one
 * page at a time.
 */
function setModuleState({ url, settings, responses, window }: RenderInput): void {
  const { pathname, search } = new URL(url, location.origin)
  Object.assign(location, { pathname, search })
  // Pages are rendered only for browsers with a session cookie: `session` mirrors the empty attribute `data-session`.
  Object.assign(pageSettings, { role: settings.role, theme: settings.theme, session: '' })
  readTheme()
  rules = []
  dropPreloadedResponses()
  addPreloadedResponses(responses)
  setWorkspaceOfPage(pathname)
  const session = sessionIn(responses)
  sessionState.value = session ? { state: 'signed-in', session } : { state: 'unknown' }
  if (session) addWorkspaceToAddress(session)
  if (!window) return
  setWindowSize(window)
  setTimeZone(window.timeZone)
}

export const pageRenderer: PageRenderer = {
  additionalRequests(responses) {
    const [session, rows] = [sessionIn(responses), requestLogRows(responses)]
    const url = session && rows && keysAddress(session, rows)
    return url === undefined ? [] : [url]
  },
  render(input) {
    const { responses, window } = input
    setModuleState(input)
    const canRenderLog =
      window !== undefined && sessionIn(responses) !== undefined && requestLogRows(responses) !== undefined
    // Without a screen, only the frame is rendered.
    const markup = renderToString(canRenderLog ? <App /> : <App screen={null} />)
    return { markup, rules: rules.join('') }
  },
}
