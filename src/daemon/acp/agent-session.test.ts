import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSession } from './agent-session.ts'

const ask = { value: 'ask', name: 'Ask' }
const auto = { value: 'auto', name: 'Auto' }
const modeOption = (options: unknown) => [{ id: 'permissions', category: 'mode', type: 'select', options }]
const modes = { availableModes: [{ id: 'default' }, { id: 'plan' }] }

for (const [what, response, expected] of [
  ['modes', { modes }, { modes: ['default', 'plan'] }],
  [
    'an option for the mode',
    { configOptions: modeOption([ask, auto]) },
    { modes: ['ask', 'auto'], modeOption: 'permissions' },
  ],
  [
    'an option with groups of modes',
    {
      configOptions: modeOption([
        { group: 'g', options: [ask] },
        { group: 'h', options: [auto] },
      ]),
    },
    { modes: ['ask', 'auto'], modeOption: 'permissions' },
  ],
  ['modes and an option', { modes, configOptions: modeOption([ask]) }, { modes: ['default', 'plan'] }],
  ['neither', { configOptions: [null, { category: 'model' }] }, { modes: [] }],
] as const)
  test(`a session with ${what} lists what its mode can be set to`, () => {
    assert.deepEqual(readSession(response, 's'), { id: 's', model: null, ...expected })
  })
