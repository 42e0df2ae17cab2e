import assert from 'node:assert/strict'
import { randomBytes, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { DaemonCertificates } from './daemon-certificates.ts'

const day = 86_400_000
const vault = createVault(randomBytes(32))
const certificatesIn = (pem: string) => pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n/g) ?? []
const issuerOf = ({ certificate }: { certificate: string }) => new X509Certificate(certificate).issuer

onEachDatabase('certificates of daemons', (kind) => {
  test('concurrent servers create one CA with an encrypted key', async () => {
    await using store = await newDb(kind)
    const servers = [1, 2, 3].map(() => new DaemonCertificates({ db: store.db, vault, now: Date.now }))
    const files = await Promise.all(servers.map((server) => server.forDaemon('an-intern')))
    assert.equal(new Set(files.map(({ caCertificates }) => caCertificates)).size, 1)
    const rows = await store.db.query.selectFrom('intern_authorities').selectAll().execute()
    assert.equal(rows.length, 1)
    assert.doesNotMatch(JSON.stringify(rows), /PRIVATE KEY/)
    assert.match(vault.open(rows[0]!.key_sealed, `intern authority ${rows[0]!.name}`), /PRIVATE KEY/)
  })

  test('a certificate is good for a day, and to be renewed after half of it', async () => {
    await using store = await newDb(kind)
    const now = Date.parse('2030-01-01')
    const files = await new DaemonCertificates({ db: store.db, vault, now: () => now }).forDaemon('an-intern')
    const { validFrom, validTo } = new X509Certificate(files.certificate)
    assert.deepEqual([Date.parse(validFrom), Date.parse(validTo)], [now - 3_600_000, now + day])
    assert.equal(files.renewAt, now + day / 2)
  })

  test('a CA is replaced a year before its end, once all servers know the next', async () => {
    await using store = await newDb(kind)
    let now = Date.parse('2030-01-01')
    const server = () => new DaemonCertificates({ db: store.db, vault, now: () => now })
    const first = await server().forDaemon('i')
    now += 3650 * day - 360 * day
    const second = await server().forDaemon('i')
    assert.deepEqual([issuerOf(second), certificatesIn(second.caCertificates).length], [issuerOf(first), 2])
    now += 2 * day
    const third = await server().forDaemon('i')
    assert.notEqual(issuerOf(third), issuerOf(first))
    assert.equal(third.caCertificates, second.caCertificates)
    now += 360 * day
    assert.equal(certificatesIn((await server().forDaemon('i')).caCertificates).length, 1)
  })

  test('a server renews its certificate after half a day, or later in an outage', async () => {
    await using store = await newDb(kind)
    let now = Date.parse('2030-01-01')
    const server = new DaemonCertificates({ db: store.db, vault, now: () => now })
    const { context } = await server.forServer('i')
    assert.equal((await server.forServer('other')).context, context)
    now += day / 2
    const renewed = (await server.forServer('i')).context
    assert.notEqual(renewed, context)
    await store.db.close()
    now += day / 2 + 1000
    assert.equal((await server.forServer('i')).context, renewed)
    now += day / 2
    await assert.rejects(server.forServer('i'))
  })
})
