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
  /** The warnings of the cluster about objects of this name, of all kinds. */
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
  const requests = new KubernetesRequests(server, policy)
  const objectPath = (kind: Kind, name: string) => `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`
  return {
    get: (kind, name) =>
      ignoreNotFound(requests.send<KubernetesObject>({ method: 'GET', path: objectPath(kind, name) })),
    async list(kind, labels) {
      const query = { labelSelector: labels }
      type Page = { items: Omit<KubernetesObject, 'kind'>[]; metadata: { resourceVersion: string } }
      const page = await requests.send<Page>({ method: 'GET', path: collectionPath(kind, namespace), query })
      // The items of a list have no kind.
      return { items: page.items.map((item) => ({ ...item, kind })), version: page.metadata.resourceVersion }
    },
    async warnings(name) {
      const query = { fieldSelector: `involvedObject.name=${name},type=Warning` }
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`
      return (await requests.send<{ items: Warning[] }>({ method: 'GET', path, query })).items
    },
    async log(pod, container, { bytes, lines }) {
      // One more line shows whether there are more.
      const query = { container, tailLines: String(lines + 1) }
      const request = {
        method: 'GET',
        path: `${objectPath('Pod', pod)}/log`,
        query,
        accept: 'text/plain, */*',
      } as const
      // Status 400: the container has not started yet.
      return ignoreNotFound(ignoreStatus(requests.readTail(request, bytes), 400))
    },
    apply(object) {
      const body = { apiVersion: kinds[object.kind].apiVersion, ...object }
      const query = { fieldManager, force: 'true' }
      return requests.send({
        method: 'PATCH',
        path: objectPath(object.kind, object.metadata.name),
        query,
        body,
        contentType: applyType,
      })
    },
    merge: (kind, name, change) =>
      requests.send({
        method: 'PATCH',
        path: objectPath(kind, name),
        query: { fieldManager },
        body: change,
        contentType: mergeType,
      }),
    async remove(kind, name, uid) {
      const body = { propagationPolicy: 'Background', ...(uid !== undefined && { preconditions: { uid } }) }
      const removed = requests.send({ method: 'DELETE', path: objectPath(kind, name), body })
      await ignoreNotFound(uid === undefined ? removed : ignoreConflict(removed))
    },
    async *watch(kind, labels, version, signal) {
      const query = {
        watch: 'true',
        allowWatchBookmarks: 'true',
        labelSelector: labels,
        resourceVersion: version,
        timeoutSeconds: String(watchSeconds),
      }
      // The API server ends the watch first. The timeout detects a dead connection.
      const limits = { headersTimeout: policy.requestTimeoutMs, bodyTimeout: 1.5 * watchSeconds * 1000 }
      const { body } = await requests.open(
        { method: 'GET', path: collectionPath(kind, namespace), query },
        limits,
        signal,
      )
      const lines = new LineReader(maxEventBytes)
      for await (const chunk of body as AsyncIterable<Buffer>) {
        lines.push(chunk)
        for (let line = lines.next(); line !== undefined; line = lines.next()) if (line) yield parseEvent(line)
      }
    },
    close: () => requests.close(),
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
