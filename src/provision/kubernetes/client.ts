import type { LogWanted } from '#interns/remote/log.ts'
import { LineReader } from '#platform/text/lines.ts'
import { type Kind, type KubernetesObject, kinds, pathOf, type Warning } from './object.ts'
import { type ApiServer, KubernetesError, KubernetesRequests, type Patience, usualPatience } from './requests.ts'

/** By this name the API server knows which fields are ours. */
const fieldManager = 'signalbox'
const applied = 'application/apply-patch+yaml'
const merged = 'application/merge-patch+json'
/** A watch is begun anew this often, so that one whose other side is gone without a word is not taken for a quiet one. */
const watchSeconds = 60
const maxEventBytes = 8 * 1024 * 1024

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: KubernetesObject }

/** What we do with the objects of one namespace. What is not there is no error but for `apply` and `merge`. */
export type KubernetesClient = {
  get: (kind: Kind, name: string) => Promise<KubernetesObject | undefined>
  /** All that have these labels, and the version of the list, from which a watch goes on. */
  list: (kind: Kind, labels: string) => Promise<{ items: KubernetesObject[]; version: string }>
  /** What the cluster has to say against objects of this name, of whatever kind. */
  warnings: (name: string) => Promise<Warning[]>
  /** The last lines that a container of a pod has said, and of these the last bytes; undefined where there is none. */
  log: (pod: string, container: string, wanted: LogWanted) => Promise<{ text: string; isCut: boolean } | undefined>
  /** Makes the object, or changes it to be so: server-side apply, fields that others have set are taken over. */
  apply: (object: KubernetesObject) => Promise<KubernetesObject>
  /** Changes only what is named. */
  merge: (kind: Kind, name: string, change: object) => Promise<KubernetesObject>
  /** Asks for its end. With `uid` only of this very one. */
  remove: (kind: Kind, name: string, uid?: string) => Promise<void>
  /**
   * What happens behind a version of a list, until the API server ends it, as it does now and then.
   * @throws KubernetesError with status 410 when the version is too old.
   */
  watch: (kind: Kind, labels: string, version: string, signal: AbortSignal) => AsyncGenerator<WatchEvent>
  close: () => Promise<void>
}

export function kubernetesClient(
  server: ApiServer,
  namespace: string,
  patience: Patience = usualPatience,
): KubernetesClient {
  const requests = new KubernetesRequests(server, patience)
  const at = (kind: Kind, name: string) => `${pathOf(kind, namespace)}/${encodeURIComponent(name)}`
  return {
    get: (kind, name) => orNothing(requests.ask<KubernetesObject>({ method: 'GET', path: at(kind, name) })),
    async list(kind, labels) {
      const query = { labelSelector: labels }
      type Page = { items: Omit<KubernetesObject, 'kind'>[]; metadata: { resourceVersion: string } }
      const page = await requests.ask<Page>({ method: 'GET', path: pathOf(kind, namespace), query })
      // In a list the items have no kind of their own.
      return { items: page.items.map((item) => ({ ...item, kind })), version: page.metadata.resourceVersion }
    },
    async warnings(name) {
      const query = { fieldSelector: `involvedObject.name=${name},type=Warning` }
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`
      return (await requests.ask<{ items: Warning[] }>({ method: 'GET', path, query })).items
    },
    async log(pod, container, { bytes, lines }) {
      // One more tells whether there are more.
      const query = { container, tailLines: String(lines + 1) }
      const asked = { method: 'GET', path: `${at('Pod', pod)}/log`, query, accept: 'text/plain, */*' } as const
      // The second is said of a container that has not begun yet.
      return orNothing(unless(requests.endOfText(asked, bytes), 400))
    },
    apply(object) {
      const body = { apiVersion: kinds[object.kind].apiVersion, ...object }
      const query = { fieldManager, force: 'true' }
      return requests.ask({ method: 'PATCH', path: at(object.kind, object.metadata.name), query, body, type: applied })
    },
    merge: (kind, name, change) =>
      requests.ask({ method: 'PATCH', path: at(kind, name), query: { fieldManager }, body: change, type: merged }),
    async remove(kind, name, uid) {
      const body = { propagationPolicy: 'Background', ...(uid !== undefined && { preconditions: { uid } }) }
      const removed = requests.ask({ method: 'DELETE', path: at(kind, name), body })
      await orNothing(uid === undefined ? removed : orAnother(removed))
    },
    async *watch(kind, labels, version, signal) {
      const query = {
        ...{ watch: 'true', allowWatchBookmarks: 'true', labelSelector: labels },
        ...{ resourceVersion: version, timeoutSeconds: String(watchSeconds) },
      }
      const limits = { headersTimeout: patience.requestMs, bodyTimeout: watchSeconds * 1500 }
      const { body } = await requests.open({ method: 'GET', path: pathOf(kind, namespace), query }, limits, signal)
      const lines = new LineReader(maxEventBytes)
      for await (const chunk of body as AsyncIterable<Buffer>) {
        lines.push(chunk)
        for (let line = lines.next(); line !== undefined; line = lines.next()) if (line) yield eventOf(line)
      }
    },
    close: () => requests.close(),
  }
}

/** @throws KubernetesError for the event that says why there will be no others. */
function eventOf(line: string): WatchEvent {
  const { type, object } = JSON.parse(line) as { type: string; object: { code?: number; message?: string } }
  if (type !== 'ERROR') return { type, object } as WatchEvent
  throw new KubernetesError(`The watch has ended: ${object.message ?? 'it does not say why'}`, object.code)
}

const orNothing = <T>(asked: Promise<T | undefined>) => unless(asked, 404)
/** Another one has its name by now. */
const orAnother = <T>(asked: Promise<T>) => unless(asked, 409)

async function unless<T>(asked: Promise<T | undefined>, status: number): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof KubernetesError && error.status === status) return undefined
    throw error
  }
}
