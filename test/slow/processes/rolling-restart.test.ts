import { test } from 'node:test'
import { noProxy } from '../../cluster/documented-proxy.ts'
import { assertUnnoticedRestarts } from '../../cluster/rolling-restart.ts'
import { newEmptyTestStore } from '../../harness/database/databases.ts'

const skip = noProxy('haproxy') || (process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set')

test('two servers behind haproxy restart in turn at 100 requests a second', { skip }, async () => {
  const testStore = await newEmptyTestStore('postgres')
  await using _ = { [Symbol.asyncDispose]: testStore.remove }
  await assertUnnoticedRestarts({
    program: 'haproxy',
    databaseUrl: testStore.settings.database_url!,
    perSecond: 100,
    env: { DRAIN_MS: '6000', SHUTDOWN_GRACE_MS: '60000' },
  })
})
