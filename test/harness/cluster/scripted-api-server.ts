import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, https } from '#platform/net/node-http.ts'
import { type Kind, type KubernetesObject, kinds, type Warning } from '#provision/kubernetes/client/object.ts'
import { hasLabels, ScriptedObjects, Status } from './scripted-objects.ts'

/** The failure that replaces a response: a status with a reason and a pause in seconds, no response, or a broken connection. */
export type ScriptedFault = { status: number; reason: string; retryAfter?: number } | 'silence' | 'reset'
type ScriptedRequest = { method: string; path: string; query: URLSearchParams }

export type ScriptedApiServer = AsyncDisposable & {
  url: string
  objects: ScriptedObjects
  /** The warning events that it returns for every object. */
  warnings: Warning[]
  /** The output of a pod's containers, by the pod's name; a container without an entry waits to start. */
  logs: Map<string, string>
  /** All requests, as `METHOD path`; a watch is a separate method. */
  requests: string[]
  /** Sets which requests fail, and how. */
  fault: (request: ScriptedRequest) => ScriptedFault | undefined
  /** Ends all open watches, as the API server does after their time, or as a restart breaks them off. */
  endWatches: (how: 'after their time' | 'broken off') => void
}

/**
 * An API server of one namespace, with the features that the service uses: server-side apply by one manager, merge
 * patches, deletion with preconditions and finalizers, lists and watches by label, with versions that expire. It has no
 * controllers.
 */
export async function startScriptedApiServer(
  options: { token?: string; tls?: { key: string; cert: string } } = {},
): Promise<ScriptedApiServer> {
  const objects = new ScriptedObjects(randomUUID)
  const openWatches = new Map<ServerResponse, () => void>()
  const listener: RequestListener = (request, response) => {
    void respond(request, response).catch((error: unknown) => {
      const { code, reason, message } = error instanceof Status ? error : new Status(500, 'InternalError', `${error}`)
      send(response, code, { kind: 'Status', status: 'Failure', code, reason, message })
    })
  }
  const server: Server = options.tls ? https().createServer(options.tls, listener) : createServer(listener)

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://scripted')
    const parsedRequest = { method: request.method ?? '', path: url.pathname, query: url.searchParams }
    const isWatch = parsedRequest.query.get('watch') === 'true'
    scripted.requests.push(`${isWatch ? 'WATCH' : parsedRequest.method} ${parsedRequest.path}`)
    const body = await readBody(request)
    const fault = scripted.fault(parsedRequest)
    if (fault === 'silence') return
    if (fault === 'reset') return void request.socket.destroy()
    if (fault && fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter)
    if (fault) throw new Status(fault.status, fault.reason, `scripted ${fault.reason}`)
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`)
      throw new Status(401, 'Unauthorized', 'Unauthorized')
    if (parsedRequest.path.endsWith('/events')) return send(response, 200, { items: scripted.warnings })
    const { kind, name, subresource } = parsePath(parsedRequest.path)
    if (kind === 'Pod' && subresource === 'log') return sendLog(response, objects.read(kind, name), parsedRequest.query)
    if (isWatch) return watch(kind, parsedRequest.query, response)
    send(response, 200, handleObject(parsedRequest, kind, name, body, request.headers['content-type']))
  }

  function handleObject(
    { method, query }: ScriptedRequest,
    kind: Kind,
    name: string,
    body: object,
    type: string | undefined,
  ) {
    if (method === 'GET') {
      if (name) return objects.read(kind, name)
      return {
        metadata: { resourceVersion: String(objects.version) },
        items: objects.list(kind, labelSelectorOf(query)),
      }
    }
    if (method === 'DELETE') {
      const { preconditions } = body as { preconditions?: { uid?: string } }
      return objects.remove(kind, name, preconditions?.uid)
    }
    if (type === 'application/apply-patch+yaml') return objects.apply(kind, name, body as KubernetesObject)
    return objects.merge(kind, name, body)
  }

  function sendLog(response: ServerResponse, { metadata }: KubernetesObject, query: URLSearchParams) {
    const result = scripted.logs.get(metadata.name)
    if (result === undefined)
      throw new Status(400, 'BadRequest', `container "${query.get('container')}" is waiting to start`)
    const lines = result
      .replace(/\n$/, '')
      .split('\n')
      .slice(-Number(query.get('tailLines') ?? 1e9))
    response.writeHead(200, { 'content-type': 'text/plain' }).end(lines.map((line) => `${line}\n`).join(''))
  }

  function watch(kind: Kind, query: URLSearchParams, response: ServerResponse): void {
    const labels = labelSelectorOf(query)
    const from = Number(query.get('resourceVersion'))
    if (from < objects.oldest) throw new Status(410, 'Expired', `too old resource version: ${from}`)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const stop = objects.subscribe(from, ({ type, object }) => {
      if (object.kind === kind && hasLabels(object, labels)) response.write(`${JSON.stringify({ type, object })}\n`)
    })
    openWatches.set(response, stop)
    response.once('close', () => {
      stop()
      openWatches.delete(response)
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const scripted: ScriptedApiServer = {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    objects,
    warnings: [],
    logs: new Map(),
    requests: [],
    fault: () => undefined,
    endWatches: (how) => {
      for (const [response, stop] of openWatches) {
        stop()
        if (how === 'broken off') response.destroy()
        else response.end()
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return scripted
}

function parsePath(path: string): { kind: Kind; name: string; subresource: string | undefined } {
  const [plural, name = '', subresource] = path.split('/namespaces/')[1]?.split('/').slice(1) ?? []
  const kind = (Object.keys(kinds) as Kind[]).find((candidate) => kinds[candidate].plural === plural)
  if (!kind) throw new Status(404, 'NotFound', `the server could not find the requested resource ${path}`)
  return { kind, name, subresource }
}

const labelSelectorOf = (query: URLSearchParams) => query.get('labelSelector') ?? ''

async function readBody(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString('utf8')) as object) : {}
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
