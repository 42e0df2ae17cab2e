import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Settings } from '#platform/config/settings.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { readCluster } from './access.ts'

const token = join(tmpdir(), `signalbox-token-${process.pid}`)
writeFileSync(token, 'a token')
const right = {
  kubernetes_image: 'signalbox:1',
  kubernetes_service_url: 'http://signalbox.test:8080',
  kubernetes_url: 'https://10.0.0.1:6443',
  kubernetes_token_file: token,
  kubernetes_ca_file: token,
}
const inPod: Record<string, string> = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }
const open = (settings: object, variables: Record<string, string> = {}) =>
  readCluster(Settings.parse(settings), (name) => variables[name])

test('missing settings are named at the start, with valid values', () => {
  for (const name of ['kubernetes_image', 'kubernetes_service_url', 'kubernetes_url'])
    assert.throws(
      () => open({ ...right, [name]: undefined }),
      (error) => error instanceof UserFacingError && error.message.includes(`needs ${name}: `),
    )
})

test('a token or a CA file that cannot be read is named with its file and setting', () => {
  for (const name of ['kubernetes_token_file', 'kubernetes_ca_file'])
    assert.throws(
      () => open({ ...right, [name]: '/nowhere/at all' }),
      (error) => error instanceof UserFacingError && error.message.includes(`/nowhere/at all (setting ${name})`),
    )
})

test('in a pod the API server is known', () => {
  assert.ok(open({ ...right, kubernetes_url: undefined }, inPod).client)
})

test('values that the cluster would refuse are refused at the start', () => {
  const wrong = {
    provisioner: 'docker',
    kubernetes_url: '10.0.0.1',
    kubernetes_service_url: 'http://signalbox/api',
    kubernetes_namespace: 'In_terns',
    kubernetes_storage: '10 GB',
    kubernetes_cpu_limit: 'two',
    kubernetes_servers: 'signalbox',
    kubernetes_egress: 'everywhere',
    kubernetes_image: 'a b',
  }
  for (const [name, value] of Object.entries(wrong))
    assert.deepEqual(Settings.safeParse({ ...right, [name]: value }).error?.issues[0]?.path[0], name)
})
