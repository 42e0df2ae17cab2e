import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Manifest } from './manifest.ts'
import type { VisitorSettings } from './visitor-cookies.ts'

/** `RenderInput` of `console/server/render-page.tsx`. */
type RenderInput = {
  url: string
  settings: Pick<VisitorSettings, 'role' | 'theme'>
  responses: Record<string, unknown>
  window?: VisitorSettings['window']
}

/** Markup, and style rules in place of its `style` attributes. */
export type Rendered = { markup: string; rules: string }

/** `PageRenderer` of `console/server/render-page.tsx`. */
type PageRenderer = {
  additionalRequests: (responses: Record<string, unknown>) => string[]
  render: (input: RenderInput) => Rendered
}

/** The style sheet of the console, and its components as the service renders them. */
export type PageParts = { style: string; renderer: PageRenderer }

/**
 * @param root the path prefix of the service. The loaded module renders for this prefix only. A module is cached by its
 * address, so the prefix is part of the address.
 */
export async function loadPageParts(folder: string, manifest: Manifest, root: string): Promise<PageParts> {
  const server = pathToFileURL(join(folder, manifest.server))
  server.search = root
  const [style, { createRenderer }] = await Promise.all([
    readFile(join(folder, manifest.style), 'utf8'),
    import(server.href) as Promise<{ createRenderer: (root: string) => Promise<PageRenderer> }>,
  ])
  return { style: style.trim(), renderer: await createRenderer(root) }
}
