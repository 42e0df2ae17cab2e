import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '#platform/core/fault.ts'
import { acceptedEncoding } from '#platform/http/request/accept-encoding.ts'
import { compress } from '#platform/http/response/compress.ts'
import type { Log } from '#platform/process/log.ts'
import { isProgramRequest, prefix } from '../access/prefix.ts'
import type { ConsoleBundle } from './bundle-cache.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { type Content, filesPath, firstRequests, type PageRequest, pageOf, securityHeaders } from './page.ts'
import { jsonOf, type PreloadedAnswers, preloadedAnswers } from './preloaded-answers.ts'
import { loadPageParts, type PageParts } from './renderer.ts'
import { screenNames } from './sources.ts'
import { visitorSettings } from './visitor-cookies.ts'

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A page with data of a member has no `etag` and is not stored. */
type Page = { bytes: Buffer; policy: string; etag?: string }
type Opened = {
  files: ReadonlySet<string>
  manifest: Manifest
  renderer: PageParts['renderer']
  page: (request: PageRequest, content?: Content) => Page
  /** Reads a file of the bundle once. */
  read: (name: string) => Promise<Buffer>
}

/** A slug or an ID. */
const isWorkspaceName = /^[\w-]{1,64}$/

/**
 * Serves the console: one page for the paths of all screens, with and without a workspace in front, and the files that the
 * page names.
 */
export function mountConsole(app: FastifyInstance, bundle: ConsoleBundle, log: Log, root: string): void {
  const opened = openedBundle(bundle, log, root)
  const answerPage = (screen: string | undefined) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { workspace } = request.params as { workspace?: string }
    // A client with a wrong base URL would read a page as an empty list.
    if (isProgramRequest(request.headers) || (workspace !== undefined && !isWorkspaceName.test(workspace)))
      return reply.callNotFound()
    return sendPageOf(request, reply, { screen, workspace })
  }
  const sendPageOf = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { screen, workspace }: Pick<PageRequest, 'screen' | 'workspace'>,
  ) => {
    const { manifest, page, renderer } = await opened()
    const pageRequest = { ...settingsOf(request, screen), root, workspace }
    if (!pageRequest.hasSession) return sendPage(request, reply, page(pageRequest))
    const ask = (addresses: string[]) => preloadedAnswers(app, request, { addresses, workspace })
    const first = await ask(firstRequests(manifest, pageRequest))
    const answers = new Map([...first, ...(await ask(renderer.furtherRequests(parsed(first))))])
    return sendPage(request, reply, page(pageRequest, contentOf(renderer, pageRequest, answers, log)))
  }
  for (const start of ['', '/w/:workspace']) {
    app.get(`${start}/`, answerPage(undefined))
    for (const name of screenNames()) {
      app.get(`${start}/${name}`, answerPage(name))
      app.get(`${start}/${name}/*`, answerPage(name))
    }
  }
  // A browser gets the console's own 404 page, also below an existing path; other clients get a JSON error.
  app.get('/*', { exposeHeadRoute: false }, async (request, reply) => {
    if (!request.headers.accept?.includes('text/html') || request.url.startsWith(`${prefix}/`))
      return reply.callNotFound()
    return sendPageOf(request, reply.code(404), { screen: undefined, workspace: undefined })
  })
  app.get<{ Params: { file: string } }>(`${filesPath}/:file`, async (request, reply) => {
    const { files, read } = await opened()
    const { file } = request.params
    if (!files.has(file)) throw new Fault('not_found', 'This file of the console no longer exists. Reload the page.')
    return sendFile(request, reply, file, read)
  })
}

/** Reads the manifest when the bundle is ready. */
function openedBundle(bundle: ConsoleBundle, log: Log, root: string): () => Promise<Opened> {
  let opened: (Opened & { folder: string }) | undefined
  return async () => {
    const folder = await bundle().catch((error: Error) => {
      log.error({ err: error }, 'the console could not be built')
      throw new Fault('unavailable', 'The console failed to build; see the server log.')
    })
    if (opened?.folder === folder) return opened
    const manifest = await readManifest(folder)
    if (!manifest) throw new Fault('unavailable', 'The files of the console are missing. Restart the service.')
    const { style, renderer } = await loadPageParts(folder, manifest, root)
    const page = pagesOf(manifest, style)
    opened = { folder, files: new Set(manifest.files), manifest, renderer, page, read: fileReader(folder) }
    return opened
  }
}

function fileReader(folder: string): Opened['read'] {
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

function settingsOf(
  { url, headers }: FastifyRequest,
  screen: string | undefined,
): Omit<PageRequest, 'root' | 'workspace'> {
  return { ...visitorSettings(headers.cookie), screen, url, isPlain: url.replace(/^\/w\/[^/]+/, '') === `/${screen}` }
}

const parsed = (answers: PreloadedAnswers): Record<string, unknown> =>
  Object.fromEntries([...answers].map(([address, text]) => [address, JSON.parse(text)]))

/** A page that cannot be rendered is rendered by its script. */
function contentOf(
  renderer: PageParts['renderer'],
  request: PageRequest,
  answers: PreloadedAnswers,
  log: Log,
): Content {
  const { url, role, theme, window, root } = request
  const visit = { url: root + url, settings: { role, theme }, window, answers: parsed(answers) }
  try {
    return { ...renderer.render(visit), answers: jsonOf(answers) }
  } catch (error) {
    log.error({ err: error, screen: request.screen }, 'a page of the console could not be rendered')
    return { markup: '', rules: '', answers: jsonOf(answers) }
  }
}

/** Caches the pages without a session: as many as screens, themes and roles. */
function pagesOf(manifest: Manifest, style: string): Opened['page'] {
  const pages = new Map<string, Page>()
  return (request, content) => {
    if (content) {
      const { html, policy } = pageOf(manifest, style, request, content)
      return { bytes: Buffer.from(html), policy }
    }
    const name = JSON.stringify([request.screen, request.theme, request.role])
    const page = pages.get(name) ?? cacheablePage(pageOf(manifest, style, request))
    pages.set(name, page)
    return page
  }
}

function cacheablePage({ html, policy }: ReturnType<typeof pageOf>): Page {
  const bytes = Buffer.from(html)
  return { bytes, policy, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }
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
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  if (!encoding) return reply.send(bytes)
  return reply.header('content-encoding', encoding).send(await compress(bytes, encoding))
}

/** The name of a file contains a digest of its content, so that clients need not request it twice. */
async function sendFile(request: FastifyRequest, reply: FastifyReply, name: string, read: Opened['read']) {
  reply.headers({
    ...securityHeaders,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    etag: `"${name.slice(name.lastIndexOf('-') + 1)}"`,
  })
  if (request.headers['if-none-match'] === reply.getHeader('etag')) return reply.code(304).send()
  reply.type(types[extname(name)] ?? 'application/octet-stream')
  // The bundle has two encodings; clients that accept neither get the plain file.
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  if (encoding === 'br') return reply.header('content-encoding', 'br').send(await read(`${name}.br`))
  if (encoding === 'gzip') return reply.header('content-encoding', 'gzip').send(await read(`${name}.gz`))
  return reply.send(await read(name))
}
