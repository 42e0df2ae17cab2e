import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '#platform/core/fault.ts'
import { chooseEncoding } from '#platform/http/response/accept-encoding.ts'
import { compress } from '#platform/http/response/compress.ts'
import type { Log } from '#platform/process/log.ts'
import { apiPrefix, isProgramRequest } from '../access/prefix.ts'
import { BundlerStopped, type ConsoleBundle } from './bundle-cache.ts'
import { type Manifest, readManifest } from './manifest.ts'
import {
  buildPage,
  filesPath,
  type PageContent,
  type PageRequest,
  preloadedAddresses,
  securityHeaders,
} from './page.ts'
import { type PreloadedResponses, preloadResponses, toJsonObject } from './preloaded-responses.ts'
import { loadPageParts, type PageParts } from './renderer.ts'
import { screenNames } from './sources.ts'
import { readVisitorSettings } from './visitor-cookies.ts'

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A page with data of a member has no `etag` and is not stored. */
type Page = { bytes: Buffer; policy: string; etag?: string }
type OpenBundle = {
  files: ReadonlySet<string>
  manifest: Manifest
  renderer: PageParts['renderer']
  renderPage: (request: PageRequest, content?: PageContent) => Page
  /** Reads a file of the bundle once. */
  read: (name: string) => Promise<Buffer>
}

/** Matches the slug or the id of a workspace. */
const workspaceName = /^[\w-]{1,64}$/

/** The page of a screen, or the 404 page without one. */
type PageAddress = Pick<PageRequest, 'screen' | 'workspace'>
type SendPage = (request: FastifyRequest, reply: FastifyReply, address: PageAddress) => Promise<unknown>

/**
 * Serves the console: one page for the paths of all screens, with and without a workspace in front, and the files that the
 * page names.
 * @returns the response to a browser's request for an unknown path, also below an existing one: the console's own 404 page.
 */
export function mountConsole(
  app: FastifyInstance,
  bundle: ConsoleBundle,
  log: Log,
  root: string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | undefined {
  const openBundle = createBundleOpener(bundle, log, root)
  const sendPageOf = createPageSender(app, openBundle, log, root)
  const sendPage = (screen: string | undefined) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { workspace } = request.params as { workspace?: string }
    // A client with a wrong base URL would read a page as an empty list.
    if (isProgramRequest(request.headers) || (workspace !== undefined && !workspaceName.test(workspace)))
      return reply.callNotFound()
    return sendPageOf(request, reply, { screen, workspace })
  }
  for (const basePath of ['', '/w/:workspace']) {
    app.get(`${basePath}/`, sendPage(undefined))
    for (const name of screenNames()) {
      app.get(`${basePath}/${name}`, sendPage(name))
      app.get(`${basePath}/${name}/*`, sendPage(name))
    }
  }
  app.get<{ Params: { file: string } }>(`${filesPath}/:file`, async (request, reply) => {
    const { files, read } = await openBundle()
    const { file } = request.params
    if (!files.has(file)) throw new Fault('not_found', 'This file of the console no longer exists. Reload the page.')
    return sendFile(request, reply, file, read)
  })
  return (request, reply) => {
    const { method, url, headers } = request
    if (method !== 'GET' || !headers.accept?.includes('text/html') || url.startsWith(`${apiPrefix}/`)) return undefined
    return sendPageOf(request, reply.code(404), { screen: undefined, workspace: undefined })
  }
}

/** Returns the function that sends a page: with content for a browser with a session, otherwise the cached one. */
function createPageSender(
  app: FastifyInstance,
  openBundle: () => Promise<OpenBundle>,
  log: Log,
  root: string,
): SendPage {
  return async (request, reply, { screen, workspace }) => {
    const { manifest, renderPage, renderer } = await openBundle()
    const pageRequest = { ...readPageSettings(request, screen), root, workspace }
    if (!pageRequest.hasSession) return sendPage(request, reply, renderPage(pageRequest))
    const preload = (addresses: string[]) => preloadResponses(app, request, { addresses, workspace })
    const firstResponses = await preload(preloadedAddresses(manifest, pageRequest))
    const furtherResponses = await preload(renderer.additionalRequests(parseResponses(firstResponses)))
    const responses = new Map([...firstResponses, ...furtherResponses])
    return sendPage(request, reply, renderPage(pageRequest, renderContent(renderer, pageRequest, responses, log)))
  }
}

/** Waits for the bundle and reads its manifest; once for each folder. @throws Fault `unavailable`. */
function createBundleOpener(bundle: ConsoleBundle, log: Log, root: string): () => Promise<OpenBundle> {
  let current: (OpenBundle & { folder: string }) | undefined
  return async () => {
    const folder = await bundle().catch((error: Error) => {
      if (error instanceof BundlerStopped) log.info(error.message)
      else log.error({ err: error }, 'the console could not be built')
      throw new Fault('unavailable', 'The console failed to build; see the server log.')
    })
    if (current?.folder === folder) return current
    const manifest = await readManifest(folder)
    if (!manifest) throw new Fault('unavailable', 'The files of the console are missing. Restart the service.')
    const { style, renderer } = await loadPageParts(folder, manifest, root)
    const renderPage = createPageRenderer(manifest, style)
    current = { folder, files: new Set(manifest.files), manifest, renderer, renderPage, read: fileReader(folder) }
    return current
  }
}

function fileReader(folder: string): OpenBundle['read'] {
  const files = new Map<string, Promise<Buffer>>()
  return (name) => {
    const cached = files.get(name)
    if (cached) return cached
    const bytes = readFile(join(folder, name))
    files.set(name, bytes)
    bytes.catch(() => files.delete(name))
    return bytes
  }
}

function readPageSettings(
  { url, headers }: FastifyRequest,
  screen: string | undefined,
): Omit<PageRequest, 'root' | 'workspace'> {
  return {
    ...readVisitorSettings(headers.cookie),
    screen,
    url,
    isPlain: url.replace(/^\/w\/[^/]+/, '') === `/${screen}`,
  }
}

const parseResponses = (responses: PreloadedResponses): Record<string, unknown> =>
  Object.fromEntries([...responses].map(([address, text]) => [address, JSON.parse(text)]))

/** Renders the content of a page. If this fails, the page stays empty until its script renders it. */
function renderContent(
  renderer: PageParts['renderer'],
  request: PageRequest,
  responses: PreloadedResponses,
  log: Log,
): PageContent {
  const { url, role, theme, window, root } = request
  const input = { url: root + url, settings: { role, theme }, window, responses: parseResponses(responses) }
  try {
    return { ...renderer.render(input), responses: toJsonObject(responses) }
  } catch (error) {
    log.error({ err: error, screen: request.screen }, 'a page of the console could not be rendered')
    return { markup: '', rules: '', responses: toJsonObject(responses) }
  }
}

/** Caches the pages without a session: as many as screens, themes and roles. */
function createPageRenderer(manifest: Manifest, style: string): OpenBundle['renderPage'] {
  const pages = new Map<string, Page>()
  return (request, content) => {
    if (content) {
      const { html, policy } = buildPage(manifest, style, request, content)
      return { bytes: Buffer.from(html), policy }
    }
    const name = JSON.stringify([request.screen, request.theme, request.role])
    const page = pages.get(name) ?? cacheablePage(buildPage(manifest, style, request))
    pages.set(name, page)
    return page
  }
}

/** 22 characters of Base64 are 132 bits of a hash, which never collide by chance. */
const tagLength = 22

function cacheablePage({ html, policy }: ReturnType<typeof buildPage>): Page {
  const bytes = Buffer.from(html)
  return { bytes, policy, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, tagLength)}"` }
}

async function sendPage(request: FastifyRequest, reply: FastifyReply, { bytes, policy, etag }: Page) {
  reply.headers({
    ...securityHeaders,
    'content-security-policy': policy,
    'cache-control': etag ? 'no-cache' : 'no-store',
    vary: 'accept-encoding, cookie',
    ...(etag && { etag }),
  })
  if (etag && request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  reply.type('text/html; charset=utf-8')
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  if (!encoding) return reply.send(bytes)
  return reply.header('content-encoding', encoding).send(await compress(bytes, encoding))
}

/** The name of a file contains a digest of its content, so that clients need not request it twice. */
async function sendFile(request: FastifyRequest, reply: FastifyReply, name: string, read: OpenBundle['read']) {
  reply.headers({
    ...securityHeaders,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    etag: `"${name.slice(name.lastIndexOf('-') + 1)}"`,
  })
  if (request.headers['if-none-match'] === reply.getHeader('etag')) return reply.code(304).send()
  reply.type(contentTypes[extname(name)] ?? 'application/octet-stream')
  // The bundle has two encodings; clients that accept neither get the plain file.
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  if (encoding === 'br') return reply.header('content-encoding', 'br').send(await read(`${name}.br`))
  if (encoding === 'gzip') return reply.header('content-encoding', 'gzip').send(await read(`${name}.gz`))
  return reply.send(await read(name))
}
