import type { LogLength } from '#interns/remote/log.ts'
import { LineReader } from '#platform/text/lines.ts'
import { collectionPath, type Kind, type KubernetesObject, kinds, type Warning } from './object.ts'
import {
  type ApiServer,
  defaultRetryPolicy,
  KubernetesError,
  KubernetesRequests,
  type RetryPolicy,
} from './requests.ts'

/** The owner of the fields that this service sets, for server-side apply. */
const fieldManager = 'signalbox'
const applyType = 'application/apply-patch+yaml'
const mergeType = 'application/merge-patch+json'
/** The API server ends a watch after this time, and it is restarted, because a dead connection looks like one without events. */
const watchSeconds = 60
const maxEventBytes = 8 * 1024 * 1024

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: KubernetesObject }

/** Requests for the objects of one namespace. A missing object is an error only for `apply` and `merge`. */
export type KubernetesClient = {
  get: (kind: Kind, name: string) => Promise<KubernetesObject | undefined>
  /** All objects with these labels, and the version of the list, from which a watch continues. */
  list: (kind: Kind, labels: string) => Promise<{ items: KubernetesObject[]; version: string }>
  /** The warnings of the cluster about objects of this name, of all kinds. None if the Role of an older release is in force. */
  warnings: (name: string) => Promise<Warning[]>
  /** The last lines of a container's log, limited to the last bytes; undefined without a container. */
  log: (pod: string, container: string, range: LogLength) => Promise<{ text: string; isCut: boolean } | undefined>
  /** Creates or changes the object by server-side apply. It takes over fields that others have set. */
  apply: (object: KubernetesObject) => Promise<KubernetesObject>
  /** Changes only the given fields. */
  merge: (kind: Kind, name: string, change: object) => Promise<KubernetesObject>
  /** Deletes the object; with `uid` only if the object still has this UID. */
  remove: (kind: Kind, name: string, uid?: string) => Promise<void>
  /**
   * The events after a version of a list, until the API server ends the watch, which it does regularly.
   * @throws KubernetesError with status 410 if the version is too old.
   */
  watch: (kind: Kind, labels: string, version: string, signal: AbortSignal) => AsyncGenerator<WatchEvent>
  close: () => Promise<void>
}

export function createKubernetesClient(
  server: ApiServer,
  namespace: string,
  policy: RetryPolicy = defaultRetryPolicy,
): KubernetesClient {
  return new NamespaceClient(server, namespace, policy)
}

class NamespaceClient implements KubernetesClient {
  readonly #requests: KubernetesRequests
  readonly #namespace: string
  readonly #policy: RetryPolicy

  constructor(server: ApiServer, namespace: string, policy: RetryPolicy) {
    this.#requests = new KubernetesRequests(server, policy)
    this.#namespace = namespace
    this.#policy = policy
  }

  get(kind: Kind, name: string): Promise<KubernetesObject | undefined> {
    return ignoreNotFound(this.#requests.send<KubernetesObject>({ method: 'GET', path: this.#objectPath(kind, name) }))
  }

  async list(kind: Kind, labels: string): Promise<{ items: KubernetesObject[]; version: string }> {
    type Page = { items: Omit<KubernetesObject, 'kind'>[]; metadata: { resourceVersion: string } }
    const path = collectionPath(kind, this.#namespace)
    const page = await this.#requests.send<Page>({ method: 'GET', path, query: { labelSelector: labels } })
    // The items of a list have no kind.
    return { items: page.items.map((item) => ({ ...item, kind })), version: page.metadata.resourceVersion }
  }

  async warnings(name: string): Promise<Warning[]> {
    const query = { fieldSelector: `involvedObject.name=${name},type=Warning` }
    const path = `/api/v1/namespaces/${encodeURIComponent(this.#namespace)}/events`
    // Status 403: the Role of an older release does not allow this request.
    const list = await ignoreStatus(this.#requests.send<{ items: Warning[] }>({ method: 'GET', path, query }), 403)
    return list?.items ?? []
  }

  async log(
    pod: string,
    container: string,
    { bytes, lines }: LogLength,
  ): Promise<{ text: string; isCut: boolean } | undefined> {
    // One more line shows whether there are more.
    const query = { container, tailLines: String(lines + 1) }
    const path = `${this.#objectPath('Pod', pod)}/log`
    const tail = this.#requests.readTail({ method: 'GET', path, query, accept: 'text/plain, */*' }, bytes)
    // Status 400: the container has not started yet.
    return ignoreNotFound(ignoreStatus(tail, 400))
  }

  apply(object: KubernetesObject): Promise<KubernetesObject> {
    return this.#requests.send({
      method: 'PATCH',
      path: this.#objectPath(object.kind, object.metadata.name),
      query: { fieldManager, force: 'true' },
      body: { apiVersion: kinds[object.kind].apiVersion, ...object },
      contentType: applyType,
    })
  }

  merge(kind: Kind, name: string, change: object): Promise<KubernetesObject> {
    const path = this.#objectPath(kind, name)
    return this.#requests.send({
      method: 'PATCH',
      path,
      query: { fieldManager },
      body: change,
      contentType: mergeType,
    })
  }

  async remove(kind: Kind, name: string, uid?: string): Promise<void> {
    const body = { propagationPolicy: 'Background', ...(uid !== undefined && { preconditions: { uid } }) }
    const removed = this.#requests.send({ method: 'DELETE', path: this.#objectPath(kind, name), body })
    await ignoreNotFound(uid === undefined ? removed : ignoreConflict(removed))
  }

  async *watch(kind: Kind, labels: string, version: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      labelSelector: labels,
      resourceVersion: version,
      timeoutSeconds: String(watchSeconds),
    }
    const path = collectionPath(kind, this.#namespace)
    // The API server ends the watch first. The timeout detects a dead connection.
    const limits = { headersTimeout: this.#policy.requestTimeoutMs, bodyTimeout: 1.5 * watchSeconds * 1000 }
    const { body } = await this.#requests.openResponse({ method: 'GET', path, query }, limits, signal)
    const lines = new LineReader(maxEventBytes)
    for await (const chunk of body as AsyncIterable<Buffer>) {
      lines.push(chunk)
      for (let line = lines.next(); line !== undefined; line = lines.next()) if (line) yield parseEvent(line)
    }
  }

  close(): Promise<void> {
    return this.#requests.close()
  }

  #objectPath(kind: Kind, name: string): string {
    return `${collectionPath(kind, this.#namespace)}/${encodeURIComponent(name)}`
  }
}

/** @throws KubernetesError for the event with the reason for which the watch ends. */
function parseEvent(line: string): WatchEvent {
  const { type, object } = JSON.parse(line) as { type: string; object: { code?: number; message?: string } }
  if (type !== 'ERROR') return { type, object } as WatchEvent
  throw new KubernetesError(`The watch has ended: ${object.message ?? 'without a reason'}`, object.code)
}

const ignoreNotFound = <T>(request: Promise<T | undefined>) => ignoreStatus(request, 404)
/** Status 409: the name now belongs to another object. */
const ignoreConflict = <T>(request: Promise<T>) => ignoreStatus(request, 409)

async function ignoreStatus<T>(request: Promise<T | undefined>, status: number): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof KubernetesError && error.status === status) return undefined
    throw error
  }
}
