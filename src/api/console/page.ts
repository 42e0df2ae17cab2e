import { createHash } from 'node:crypto'
import type { Manifest } from './manifest.ts'
import type { Rendered } from './renderer.ts'
import type { VisitorSettings } from './visitor-cookies.ts'

const digestOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * Allows only own files, the style of the page, and the click recorder of a page that has content: no other inline scripts, no
 * frames, and no markup from strings (trusted types).
 */
const contentPolicy = (style: string, hasContent: boolean) =>
  [
    "default-src 'none'",
    hasContent ? `script-src 'self' ${clickRecorderDigest}` : "script-src 'self'",
    `style-src ${digestOf(style)}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** Records clicks on buttons and rows until the script of the page runs. `console/early-clicks.ts` repeats them. */
const clickRecorder =
  'earlyClicks=[];addEventListener("click",e=>{let c=e.target.closest("[aria-busy] :is(button,[role=row])");c&&earlyClicks?.push(c)},true)'
const clickRecorderDigest = digestOf(clickRecorder)

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The path of the bundle's files. */
export const filesPath = '/console'

/** The request for a page. */
export type PageRequest = VisitorSettings & {
  screen: string | undefined
  /** Whether the address has no filters, so that the first API request of the screen is known. */
  isPlain: boolean
  /** The path and query, without `root`. */
  url: string
  /** The path prefix of the service. */
  root: string
  /** The name in the address `/w/<name>/…`. */
  workspace: string | undefined
}

/** The content of a page with a session. `responses` is the JSON object of the responses to the first API requests. */
export type PageContent = Rendered & { responses: string }

/** The addresses of the API requests whose responses the page contains. */
export function preloadedAddresses(manifest: Manifest, { screen, isPlain, hasSession, root }: PageRequest): string[] {
  if (!hasSession) return []
  const paths = ['/api/v1/sessions/current']
  const first = isPlain && screen !== undefined ? manifest.firstRequests[screen] : undefined
  if (first) paths.push(first)
  return paths.map((path) => root + path)
}

/**
 * The HTML page of a screen, and its content security policy. It contains the style sheet: a file would be another request
 * before anything is painted. With a session it contains the frame, the first rows, and the responses from which its script
 * renders the same.
 */
export function buildPage(
  manifest: Manifest,
  styleSheet: string,
  { screen, hasSession, theme, role, root }: PageRequest,
  content?: PageContent,
): { html: string; policy: string } {
  const fileUrl = (name: string) => `${root}${filesPath}/${name}`
  const screenFiles = screen === undefined ? [] : (manifest.screens[screen] ?? [])
  const files = [...manifest.mainImports, ...screenFiles]
  const style = styleSheet + (content?.rules ?? '')
  const html = `<!doctype html>
<html lang="en"${theme ? ` data-theme="${theme}"` : ''}${hasSession ? ' data-session' : ''}${role ? ` data-role="${role}"` : ''}${root ? ` data-root="${root}"` : ''}><head><meta charset="utf-8"><title>Signalbox</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>${style}</style>${content ? `<script>${clickRecorder}</script>` : ''}<link rel="icon" href="${fileUrl(manifest.icon)}">
${files.map((name) => `<link rel="modulepreload" href="${fileUrl(name)}">`).join('')}
<script type="module" src="${fileUrl(manifest.main)}"></script></head>
<body>${content ? `<div id="console" aria-busy="true">${content.markup}</div>${dataBlock(content.responses)}` : '<div id="console"></div>'}<noscript>The console needs JavaScript. The API is at <a href="${root}/api/v1/docs">${root}/api/v1/docs</a>.</noscript></body></html>
`
  return { html, policy: contentPolicy(style, content !== undefined) }
}

/** Data for `console/api/preloaded-responses.ts`. Browsers do not run a script of this type. */
const dataBlock = (json: string) =>
  `<script type="application/json" id="preloaded">${json.replaceAll('<', '\\u003c')}</script>`
