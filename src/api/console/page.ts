import type { Manifest } from './manifest.ts'
import type { VisitorSettings } from './visitor-cookies.ts'

/** Allows only own files: no inline scripts or styles, no frames, and no markup from strings (trusted types). */
export const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The path of the bundle's files. */
export const filesPath = '/console'

/**
 * The request for a page. `isPlain`: the address has no filters, so the first API request of the screen is known.
 * `workspace`: the name in the address `/w/<name>/…`. `answers`: the JSON object of `preloadedAnswers`.
 */
export type PageRequest = VisitorSettings & {
  screen: string | undefined
  isPlain: boolean
  root: string
  workspace?: string | undefined
  answers?: string
}

/** The addresses of the API requests whose answers the page contains. */
export function firstRequests(manifest: Manifest, { screen, isPlain, hasSession, root }: PageRequest): string[] {
  if (!hasSession) return []
  const first = isPlain ? manifest.navigation.find(({ name }) => name === screen)?.firstRequest : undefined
  return ['/api/v1/sessions/current', ...(first ? [first] : [])].map((path) => root + path)
}

/**
 * The HTML page of a screen. It preloads the scripts. With a session it contains the frame and the answers to the first API
 * requests, so that the first rows need no further request.
 */
export function pageOf(manifest: Manifest, request: PageRequest): string {
  const { screen, hasSession, theme, role, root, workspace, answers } = request
  const screensRoot = workspace === undefined ? root : `${root}/w/${workspace}`
  const at = (name: string) => `${root}${filesPath}/${name}`
  const files = [...manifest.mainImports, ...((screen && manifest.screens[screen]) || [])]
  return `<!doctype html>
<html lang="en"${theme ? ` data-theme="${theme}"` : ''}${hasSession ? ' data-session' : ''}${role ? ` data-role="${role}"` : ''}${root ? ` data-root="${root}"` : ''}><head><meta charset="utf-8"><title>Signalbox</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="${at(manifest.icon)}"><link rel="stylesheet" href="${at(manifest.style)}">
${files.map((name) => `<link rel="modulepreload" href="${at(name)}">`).join('')}
<script type="module" src="${at(manifest.main)}"></script></head>
<body><div id="console">${hasSession ? frameOf(manifest.navigation, screen, role, screensRoot) : ''}</div>${answers ? dataBlock(answers) : ''}<noscript>The console needs JavaScript. The API is at <a href="${root}/api/v1/docs">${root}/api/v1/docs</a>.</noscript></body></html>
`
}

/** Data for `console/api/preloaded-answers.ts`. Browsers do not run a script of this type. */
const dataBlock = (json: string) =>
  `<script type="application/json" id="first-answers">${json.replaceAll('<', '\\u003c')}</script>`

/** The frame as `console/frame.tsx` renders it, without the parts that depend on the session. */
function frameOf(
  screens: Manifest['navigation'],
  current: string | undefined,
  role: string | undefined,
  root: string,
): string {
  const visible = screens.filter(({ roles }) => !role || !roles || roles.includes(role))
  const screenLink = ({ name, title }: Manifest['navigation'][number]) =>
    `<a class="place" href="${root}/${name}"${name === current ? ' aria-current="page"' : ''}>${title.replaceAll('&', '&amp;')}</a>`
  const title = screens.find(({ name }) => name === current)?.title.replaceAll('&', '&amp;')
  return (
    `<div class="frame"><nav aria-label="Screens"><a class="brand" href="${root}/">signal<i>·</i>box</a>` +
    `<button type="button" class="here" popovertarget="places" aria-label="Screens${title ? `, current: ${title}` : ''}"` +
    ` data-place="${title ?? 'Screens'}"></button>` +
    '<button type="button" class="go">Go to… <kbd>Ctrl K</kbd></button>' +
    `<div class="menu-of-places" id="places" popover><div class="places">${visible.map(screenLink).join('')}</div></div>` +
    '</nav><main></main></div>'
  )
}
