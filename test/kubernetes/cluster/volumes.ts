import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlPlane } from './control-plane.ts'
import type { ClusterNode } from './node.ts'

/** Volumes of sufficient size, and of a few megabytes that are soon full. */
export const storageClasses = { plenty: 'plenty', little: 'little' } as const
const littleMegabytes = 24

/**
 * Creates volumes of the type `local`, on which a pod's `fsGroup` works, unlike on a `hostPath`. Each volume can be used
 * once.
 */
export async function makeVolumes(folder: string, { kubectl }: ControlPlane, node: ClusterNode, count: number) {
  const plenty = Array.from({ length: count }, (_, at) => `plenty-${at}`)
  const little = ['little-0', 'little-1', 'little-2']
  const path = (name: string) => join(folder, 'volumes', name)
  for (const name of [...plenty, ...little]) mkdirSync(path(name), { recursive: true })
  for (const name of little) node.inside('mount', '-t', 'tmpfs', '-o', `size=${littleMegabytes}m`, 'little', path(name))
  const classes = Object.values(storageClasses).map((name) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  }))
  const volume = (name: string, storageClassName: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName,
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path: path(name) },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node.name] }] },
          ],
        },
      },
    },
  })
  const volumes = [
    ...plenty.map((name) => volume(name, storageClasses.plenty)),
    ...little.map((name) => volume(name, storageClasses.little)),
  ]
  await kubectl(['create', '-f', '-'], [...classes, ...volumes])
}
