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
import { contentPolicy, filesPath, firstRequests, type PageRequest, pageOf, securityHeaders } from './page.ts'
import { preloadedAnswers } from './preloaded-answers.ts'
import { screenNames } from './sources.ts'
import { visitorSettings } from './visitor-cookies.ts'

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A page with data of a member has no `etag` and is not stored. */
type Page = { bytes: Buffer; etag?: string }
type Opened = {
  files: ReadonlySet<string>
  manifest: Manifest
  page: (request: PageRequest) => Page
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
  const opened = openedBundle(bundle, log)
  const answerPage = (screen: string | undefined) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { workspace } = request.params as { workspace?: string }
    // A client with a wrong base URL would read a page as an empty list.
    if (isProgramRequest(request.headers) || (workspace !== undefined && !isWorkspaceName.test(workspace)))
      return reply.callNotFound()
    const { manifest, page } = await opened()
    const pageRequest = { ...settingsOf(request, screen), root, workspace }
    const addresses = firstRequests(manifest, pageRequest)
    if (addresses.length === 0) return sendPage(request, reply, page(pageRequest))
    const answers = await preloadedAnswers(app, request, { addresses, workspace })
    return sendPage(request, reply, page({ ...pageRequest, answers }))
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
    const page = (await opened()).page({ ...settingsOf(request, undefined), root, workspace: undefined })
    return sendPage(request, reply.code(404), page)
  })
  app.get<{ Params: { file: string } }>(`${filesPath}/:file`, async (request, reply) => {
    const { files, read } = await opened()
    const { file } = request.params
    if (!files.has(file)) throw new Fault('not_found', 'This file of the console no longer exists. Reload the page.')
    return sendFile(request, reply, file, read)
  })
}

/** Reads the manifest when the bundle is ready. */
function openedBundle(bundle: ConsoleBundle, log: Log): () => Promise<Opened> {
  let known: (Opened & { folder: string }) | undefined
  return async () => {
    const folder = await bundle().catch((error: Error) => {
      log.error({ err: error }, 'the console could not be built')
      throw new Fault('unavailable', 'The console failed to build; see the server log.')
    })
    if (known?.folder === folder) return known
    const manifest = await readManifest(folder)
    if (!manifest) throw new Fault('unavailable', 'The files of the console are missing. Restart the service.')
    known = { folder, files: new Set(manifest.files), manifest, page: pagesOf(manifest), read: fileReader(folder) }
    return known
  }
}

function fileReader(folder: string): Opened['read'] {
  const files = new Map<string, Promise<Buffer>>()
  return (name) => {
    const known = files.get(name)
    if (known) return known
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
  return { ...visitorSettings(headers.cookie), screen, isPlain: url.replace(/^\/w\/[^/]+/, '') === `/${screen}` }
}

/** Caches the pages without data and workspace: as many as screens, themes, roles, and so on, which is a few hundred. */
function pagesOf(manifest: Manifest): Opened['page'] {
  const pages = new Map<string, Page>()
  return (request) => {
    if (request.answers !== undefined) return { bytes: Buffer.from(pageOf(manifest, request)) }
    if (request.workspace !== undefined) return renderedPage(manifest, request)
    const name = JSON.stringify([request.screen, request.isPlain, request.hasSession, request.theme, request.role])
    const known = pages.get(name)
    if (known) return known
    const page = renderedPage(manifest, request)
    pages.set(name, page)
    return page
  }
}

function renderedPage(manifest: Manifest, request: PageRequest): Page {
  const bytes = Buffer.from(pageOf(manifest, request))
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }
}

async function sendPage(request: FastifyRequest, reply: FastifyReply, { bytes, etag }: Page) {
  reply.headers({
    ...securityHeaders,
    'content-security-policy': contentPolicy,
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
