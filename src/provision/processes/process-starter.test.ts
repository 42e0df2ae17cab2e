import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Intern } from '#interns/registry/intern-store.ts'
import { loadConfig } from '#platform/config/load.ts'
import { RunningClones } from '../repository/running-clones.ts'
import { ProcessStarter } from './process-starter.ts'

const never = () => assert.fail('it must not be called')

test('stopping an intern during the preparation of its start cancels the clone', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-starter-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const origin = 'http://127.0.0.1:9'
  const config = { ...loadConfig({}), repository_origins: [origin], intern_control_groups: false }
  const repository = { url: `${origin}/widgets.git`, folder: 'widgets', ref: null, depth: null, credential: null }
  const intern = { id: 'i', agent: null, webHosts: [], instructions: '', repository, movedAt: null, asleepSince: null }
  const runningClones = new RunningClones({
    config,
    variable: () => process.env.PATH,
    passwordOf: async () => undefined,
    mask: (text) => text,
    onMeasureError: assert.fail,
  })
  const starter = new ProcessStarter({
    config,
    dataDir,
    listeners: undefined,
    baseUrl: () => 'http://127.0.0.1:9',
    warn: assert.fail,
    runningClones,
    variable: never,
    onStarted: never,
    homeOf: () => join(dataDir, 'i'),
    haveSeparateUsers: async () => false,
    end: async () => {},
    gitAuthorOf: async () => ({ name: 'an intern', email: 'a@b' }),
    mcpServersOf: async ({ id }) => {
      runningClones.stop(id)
      return []
    },
  })
  const started = starter.start(intern as unknown as Intern, 'secret', () => {})
  await assert.rejects(started, { message: /is not cloned: the intern was stopped\.$/ })
})
