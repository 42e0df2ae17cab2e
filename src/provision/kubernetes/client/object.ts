/** The kinds of the objects of an intern, with their paths in the API. */
export const kinds = {
  Secret: { apiVersion: 'v1', plural: 'secrets' },
  PersistentVolumeClaim: { apiVersion: 'v1', plural: 'persistentvolumeclaims' },
  Service: { apiVersion: 'v1', plural: 'services' },
  Pod: { apiVersion: 'v1', plural: 'pods' },
  NetworkPolicy: { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' },
  StatefulSet: { apiVersion: 'apps/v1', plural: 'statefulsets' },
} as const
export type Kind = keyof typeof kinds

type Metadata = {
  name: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  uid?: string
  resourceVersion?: string
  creationTimestamp?: string
  deletionTimestamp?: string
  finalizers?: string[]
}

/** An object of the cluster, as it is written or read. */
export type KubernetesObject = {
  kind: Kind
  metadata: Metadata
  spec?: Record<string, unknown>
  status?: Record<string, unknown>
  /** The values of a Secret: `stringData` is written as text, `data` is read as base64. */
  stringData?: Record<string, string>
  data?: Record<string, string>
}

/** A warning of the cluster about an object. It is stored for an hour. */
export type Warning = {
  involvedObject: { name: string; uid?: string }
  type: 'Warning' | 'Normal'
  /** A machine-readable reason, such as `FailedScheduling`. */
  reason?: string
  message?: string
  lastTimestamp?: string | null
  eventTime?: string | null
}

/** The path of all objects of a kind in a namespace. */
export function collectionPath(kind: Kind, namespace: string): string {
  const { apiVersion, plural } = kinds[kind]
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  return `${group}/namespaces/${encodeURIComponent(namespace)}/${plural}`
}
