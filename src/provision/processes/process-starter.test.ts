import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Intern } from '#interns/registry/intern-store.ts'
import { loadConfig } from '#platform/config/load.ts'
import { createMark, killMarked } from '#platform/process/process-marker.ts'
import { RunningClones } from '../repository/running-clones.ts'
import { ProcessStarter } from './process-starter.ts'

const never = () => assert.fail('it must not be called')

test('a daemon whose start could not be recorded is ended', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-starter-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const home = join(dataDir, 'i')
  const config = { ...loadConfig({}), intern_control_groups: false, intern_disk_bytes: 0 }
  const intern = {
    id: 'i',
    agent: null,
    webHosts: [],
    instructions: '',
    repository: null,
    movedAt: null,
    asleepSince: null,
  }
  const starter = new ProcessStarter({
    config,
    dataDir,
    listeners: undefined,
    baseUrl: () => 'http://127.0.0.1:9',
    warn: assert.fail,
    runningClones: { register: () => ({ clone: never, [Symbol.dispose]: () => {} }) },
    // Called between the record before the start of the process and the one after it.
    variable: (name) => {
      mkdirSync(join(home, 'daemon.json.new'), { recursive: true })
      return process.env[name]
    },
    onStarted: never,
    homeOf: () => home,
    haveSeparateUsers: async () => false,
    end: async () => {},
    gitAuthorOf: async () => ({ name: 'an intern', email: 'a@b' }),
    mcpServersOf: async () => [],
  })
  await assert.rejects(
    starter.start(intern as unknown as Intern, 'secret', () => {}),
    { code: 'EISDIR' },
  )
  // Also kills what remains.
  assert.equal(killMarked(createMark(join(home, 'workspace'))), 0)
})

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
