import { createHash } from 'node:crypto'
import { escapeHtml } from '#platform/http/response/html-page.ts'
import { operationHtml } from './operation.ts'
import type { Document } from './shape.ts'
import { style } from './style.ts'

/** The content security policy: the page has one inline style and loads or runs nothing. */
export const referenceContentSecurityPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Renders the API description as one HTML page. */
export function referencePage(document: Document): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const operationsOfTag = (tag: string) => operations.filter(({ operation }) => operation.tags.includes(tag))
  const tags = document.tags.filter(({ name }) => operationsOfTag(name).length > 0)
  const index = tags.map(({ name }) => `<a href="#${name}">${name}</a>`).join(' ')
  const sections = tags.map(
    ({ name, description }) =>
      `<section id="${name}"><h2>${name}</h2><p>${escapeHtml(description)}</p>${operationsOfTag(name)
        .map((operation) => operationHtml(operation, document))
        .join('')}</section>`,
  )
  const { title, description } = document.info
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}: API reference</title><style>${style}</style></head><body><header><h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(description)} Every path is below <code>${document.servers[0]?.url}</code>; a key goes into the header
<code>Authorization: Bearer …</code>. For programs: <a href="openapi.json">openapi.json</a>.</p><nav>${index}</nav></header>
<main>${sections.join('')}</main></body></html>\n`
}
