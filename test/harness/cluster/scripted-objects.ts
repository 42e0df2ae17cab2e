import { isDeepStrictEqual } from 'node:util'
import type { Kind, KubernetesObject } from '#provision/kubernetes/client/object.ts'

/** A refusal in the format of the API server. */
export class Status extends Error {
  readonly code: number
  readonly reason: string

  constructor(code: number, reason: string, message: string) {
    super(message)
    this.code = code
    this.reason = reason
  }
}

type ScriptedEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubernetesObject }
type VersionedEvent = ScriptedEvent & { version: number }

/** The objects behind a scripted API server, and their changes. */
export class ScriptedObjects {
  readonly #objects = new Map<string, KubernetesObject>()
  readonly #listeners = new Set<(event: ScriptedEvent) => void>()
  readonly #newId: () => string
  #events: VersionedEvent[] = []
  version = 1
  /** Changes before this version are no longer available. */
  oldest = 0

  constructor(newId: () => string) {
    this.#newId = newId
  }

  find(kind: Kind, name: string): KubernetesObject | undefined {
    return this.#objects.get(`${kind} ${name}`)
  }

  /** @throws Status 404. */
  read(kind: Kind, name: string): KubernetesObject {
    const found = this.find(kind, name)
    if (!found) throw new Status(404, 'NotFound', `${kind} "${name}" not found`)
    return found
  }

  list(kind: Kind, labels: string): KubernetesObject[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind && hasLabels(object, labels))
  }

  /** One manager applies objects: a field that it omits is removed. */
  apply(kind: Kind, name: string, { metadata, spec, stringData }: KubernetesObject): KubernetesObject {
    const existing = this.find(kind, name)
    if (kind === 'PersistentVolumeClaim' && existing && !isDeepStrictEqual(existing.spec, spec))
      throw new Status(422, 'Invalid', 'spec is immutable after creation')
    return this.put({
      ...existing,
      kind,
      metadata: { ...existing?.metadata, ...metadata },
      ...(spec && { spec }),
      ...(stringData && { data: toBase64(stringData) }),
    })
  }

  merge(kind: Kind, name: string, change: object): KubernetesObject {
    const { stringData, ...merged } = mergePatch(this.read(kind, name), change) as KubernetesObject
    return this.put(stringData ? { ...merged, data: { ...merged.data, ...toBase64(stringData) } } : merged)
  }

  remove(kind: Kind, name: string, uid?: string): KubernetesObject {
    const object = this.read(kind, name)
    if (uid !== undefined && object.metadata.uid !== uid)
      throw new Status(409, 'Conflict', `the UID in the precondition (${uid}) does not match`)
    if ((object.metadata.finalizers ?? []).length === 0) return this.#delete(object)
    const deletionTimestamp = object.metadata.deletionTimestamp ?? new Date(0).toISOString()
    return this.put({ ...object, metadata: { ...object.metadata, deletionTimestamp } })
  }

  /** Stores an object with all of its fields. An unchanged object keeps its version. */
  put(desired: KubernetesObject): KubernetesObject {
    const key = `${desired.kind} ${desired.metadata.name}`
    const existing = this.#objects.get(key)
    if (isDeepStrictEqual(existing, desired)) return desired
    const { deletionTimestamp, finalizers = [] } = desired.metadata
    if (deletionTimestamp && finalizers.length === 0) return this.#delete(desired)
    const uid = existing?.metadata.uid ?? this.#newId()
    const object = { ...desired, metadata: { ...desired.metadata, uid, resourceVersion: String(this.version + 1) } }
    this.#objects.set(key, object)
    this.#publish(existing ? 'MODIFIED' : 'ADDED', object)
    return object
  }

  /**
   * Calls `listener` with all changes since then, and all future changes.
   * @returns a function that ends this.
   */
  subscribe(since: number, listener: (event: ScriptedEvent) => void): () => void {
    for (const event of this.#events) if (event.version > since) listener(event)
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** From now on, earlier changes are no longer available. */
  compact(): void {
    this.#events = []
    this.version++
    this.oldest = this.version
  }

  #delete(object: KubernetesObject): KubernetesObject {
    this.#objects.delete(`${object.kind} ${object.metadata.name}`)
    const deleted = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.version + 1) } }
    this.#publish('DELETED', deleted)
    return deleted
  }

  #publish(type: ScriptedEvent['type'], object: KubernetesObject): void {
    this.version++
    this.#events.push({ type, object, version: this.version })
    for (const listener of this.#listeners) listener({ type, object })
  }
}

/** Whether an object has all labels of a selector `a=b,c=d`. */
export function hasLabels({ metadata }: KubernetesObject, selector: string): boolean {
  const pairs = selector.split(',').filter(Boolean)
  return pairs.every((pair) => metadata.labels?.[pair.split('=')[0]!] === pair.split('=')[1])
}

const toBase64 = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]))

/** Applies a JSON merge patch (RFC 7396). */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const merged = typeof target === 'object' && target !== null ? { ...(target as Record<string, unknown>) } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}
