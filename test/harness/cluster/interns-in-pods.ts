import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startTestService } from '../service/service.ts'
import { type ScriptedCluster, startScriptedCluster } from './scripted-cluster.ts'

const agent = fileURLToPath(new URL('../../../bin/scripted-agent.ts', import.meta.url))

/** A service whose interns are pods of a scripted cluster. */
export async function startInPods(settings: object = {}, shared: { cluster?: ScriptedCluster; testStore?: any } = {}) {
  const cluster = shared.cluster ?? (await startScriptedCluster())
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-token-'))
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, 'a token')
  const service = await startTestService({
    ...(shared.testStore && { testStore: shared.testStore }),
    settings: {
      provisioner: 'kubernetes',
      kubernetes_url: cluster.server.url,
      kubernetes_token_file: tokenFile,
      kubernetes_image: 'signalbox:1',
      kubernetes_service_url: 'http://signalbox.test:8080',
      agents: { scripted: { command: process.execPath, args: [agent] } },
      ...settings,
    },
  })
  return {
    cluster,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      if (!shared.cluster) await cluster[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
