import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress, resolvePublicAddresses } from './public-address.ts'

const own = [
  ...['0.0.0.0', '10.0.0.1', '100.64.1.1', '127.8.8.8', '169.254.169.254', '172.31.0.1', '192.168.1.1', '198.19.0.1'],
  ...['224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1%eth0', 'fd12::1', 'ff02::1', '2001:db8::1', '2002:a00:1::'],
  ...['::ffff:10.0.0.1', '::ffff:8.8.8.8', '64:ff9b::a00:1', '2001::1', '::7f00:1', '168.63.129.16'],
]

test('addresses of one host or site are not public, in any spelling', () => {
  assert.deepEqual(own.filter(isPublicAddress), [])
  const everybodys = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::8a']
  assert.deepEqual(everybodys.filter(isPublicAddress), everybodys)
})

test('a name with one address that is not public is refused whole', async () => {
  const resolve = async () => ['8.8.8.8', '10.0.0.1']
  await assert.rejects(
    resolvePublicAddresses('rebind.example.com', 'of_origins', { resolve }),
    /rebind\.example\.com is not a public host/,
  )
  assert.deepEqual(
    await resolvePublicAddresses('git.example.com', 'of_origins', { resolve: async () => ['8.8.8.8'] }),
    ['8.8.8.8'],
  )
})

test('an unknown name is reported as unknown', async () => {
  const none = async () => Promise.reject(new Error('ENOTFOUND'))
  await assert.rejects(
    resolvePublicAddresses('nowhere.example', 'of_origins', { resolve: none }),
    /the host nowhere\.example is not known/,
  )
})

test('a name that only the proxy can resolve is left to it, unless it is private', async () => {
  const options = { isProxied: true, resolve: async () => [] }
  assert.deepEqual(await resolvePublicAddresses('git.example.com', 'of_origins', options), [])
  for (const name of ['intranet', 'metadata.google.internal', 'a.cluster.local', 'printer.lan.', 'api.default.svc'])
    await assert.rejects(resolvePublicAddresses(name, 'of_origins', options), /is not known/)
})
