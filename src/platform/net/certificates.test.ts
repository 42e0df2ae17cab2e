import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createCa, issueCertificate } from './certificates.ts'

const day = 86_400_000
const period = { from: Date.parse('2030-01-01'), until: Date.parse('2030-01-02') }

test('a CA can sign leaf certificates with a name, a purpose and time', async () => {
  const ca = {
    name: 'a CA',
    ...(await createCa('a CA', { ...period, until: period.from + 3650 * day })),
  }
  const root = new X509Certificate(ca.certificate)
  assert.deepEqual([root.ca, root.subject, root.verify(root.publicKey)], [true, 'CN=a CA', true])
  const issued = await issueCertificate(ca, { name: 'daemon.test', as: 'server' }, period)
  const leaf = new X509Certificate(issued.certificate)
  assert.ok(leaf.checkIssued(root) && leaf.verify(root.publicKey) && !leaf.ca)
  assert.equal(leaf.checkHost('daemon.test'), 'daemon.test')
  assert.equal(leaf.checkHost('other.test'), undefined)
  assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  assert.deepEqual([Date.parse(leaf.validFrom), Date.parse(leaf.validTo)], [period.from, period.until])
})

test('every certificate has its own number and key', async () => {
  const ca = { name: 'a', ...(await createCa('a', period)) }
  const two = await Promise.all([1, 2].map(() => issueCertificate(ca, { name: 'x', as: 'client' }, period)))
  const [one, other] = two.map(({ certificate }) => new X509Certificate(certificate))
  assert.notEqual(one!.serialNumber, other!.serialNumber)
  assert.notEqual(two[0]!.key, two[1]!.key)
})
