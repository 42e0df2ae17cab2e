import type { Manifest } from './manifest.ts'

/**
 * Nothing from elsewhere, no script or style within the page, no page around it; text becomes markup only through the
 * sanitizer, which alone may make trusted types.
 */
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

/** Where the bundle's files are. */
export const filesPath = '/console'

/** The page that every screen begins with: it names its files, so that they load at once. */
export function pageOf(manifest: Manifest, screen: string | undefined): string {
  const at = (name: string) => `${filesPath}/${name}`
  const early = [...manifest.with, ...((screen && manifest.screens[screen]) || [])]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Signalbox</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="${at(manifest.icon)}"><link rel="stylesheet" href="${at(manifest.style)}">
${early.map((name) => `<link rel="modulepreload" href="${at(name)}">`).join('')}
<script type="module" src="${at(manifest.main)}"></script></head>
<body><div id="console"></div><noscript>The console needs JavaScript. The API is at <a href="/api/v1/docs">/api/v1/docs</a>.</noscript></body></html>
`
}
