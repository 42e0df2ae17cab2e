import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { startCluster } from './cluster/cluster.ts'
import { kube } from './kube/kube.ts'
import { removeLeftovers } from './leftovers.ts'
import { missing } from './requirements.ts'

/** `node test/kubernetes/up.ts [FILE]` runs a cluster until Ctrl-C, for manual tests, and writes its access data to FILE. */
const missingPrograms = missing(kube)
if (missingPrograms.length > 0) {
  process.stderr.write(`A cluster here needs ${missingPrograms.join('; ')}.\n`)
  process.exit(2)
}
const stopped = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
const say = (what: string) => void process.stderr.write(`${what}\n`)
await removeLeftovers(say)
await using cluster = await startCluster(say)
const { plane, node, settings } = cluster
const result = {
  settings,
  kubeconfig: plane.kubeconfig,
  kubectl: `${kube} kubectl --kubeconfig ${plane.kubeconfig}`,
  gateway: node.gateway,
}
const [file = '/dev/stdout'] = process.argv.slice(2)
writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
await stopped
