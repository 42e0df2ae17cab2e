import { after } from 'node:test'
import { type Cluster, startCluster } from './cluster/cluster.ts'

/** Replaces tests that are not selected. */
export const skip = process.env.TEST_KUBERNETES ? false : 'pods of a real cluster: "npm run test:kubernetes"'

let started: Promise<Cluster> | undefined

/** The cluster of all tests of this process. It is taken down with the last of them. */
export function sharedCluster(): Promise<Cluster> {
  started ??= startCluster((what) => console.log(what))
  return started
}

if (!skip) after(async () => void (await (await started)?.[Symbol.asyncDispose]()))
