import type { PermissionOptionKind, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import { type Command, type ScriptContext, say } from './scripted-play.ts'

/** The commands by which a scripted agent asks its client something. */
export const questionCommands: Record<string, Command> = {
  /** Offers options as the protocol has them: `choose [{"optionId": "a", "name": "A", "kind": "allow_once"}]`. */
  choose: async (play, json) => {
    const toolCall = { toolCallId: 'choose', title: 'choose' }
    const { outcome } = JSON.parse(await request(play, { toolCall, options: JSON.parse(json) }))
    await say(play, `[${outcome.optionId ?? 'cancelled'}]`)
  },
  permission: (play, rest) => askPermission(play, rest).then((said) => say(play, `[${said}]`)),
  /** Two questions at once. */
  permissions: async (play, rest) => {
    const both = [askPermission(play, `first ${rest}`), askPermission(play, `second ${rest}`)]
    await say(play, `[${(await Promise.all(both)).join(', ')}]`)
  },
  /** Asks, works on, and asks no more. */
  withdraw: async (play, rest) => {
    const withdrawn = AbortSignal.timeout(Number(rest))
    const said = askPermission(play, 'shell allow_once', withdrawn).catch(() => 'withdrawn')
    await say(play, `[${await said}]`)
  },
  /** Goes on writing while a question waits: `talk 1000 permission shell allow_once`. */
  talk: (play, rest) => talk(play, 'x', rest),
  /** The same with another character: `talk_of ä 1000 permission shell allow_once`. */
  talk_of: (play, rest) => {
    const [character = '', more = ''] = rest.split(/ (.*)/s)
    return talk(play, character, more)
  },
  /** Asks to write a file, with the content as the protocol has it: `edit run.sh {"before": "a", "after": "b"}`. */
  edit: async (play, rest) => {
    const [path = '', json = '{}'] = rest.split(/ (.*)/s)
    const { before = null, after = '', repeat = 1 } = JSON.parse(json)
    const content = [{ type: 'diff', path, oldText: before, newText: after.repeat(repeat) }]
    const toolCall = { toolCallId: `call-${path}`, title: 'Edit files', kind: 'edit', content, locations: [{ path }] }
    await say(
      play,
      `[${await request(play, { toolCall, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] })}]`,
    )
  },
  /** A question in the way of qwen: `quiz [{"question": "Where?", "options": [{"label": "Here"}]}]`. */
  quiz: async (play, rest) => {
    const _meta = { qwenInteractionKind: 'user_question', qwenQuestions: JSON.parse(rest) }
    const options = [
      { optionId: 'proceed_once', name: 'Submit', kind: 'allow_once' },
      { optionId: 'cancel', name: 'Cancel', kind: 'reject_once' },
    ]
    const toolCall = { toolCallId: 'quiz', title: 'Ask user 1 question', kind: 'think', _meta }
    await say(play, await request(play, { toolCall, options }))
  },
  ask: async (play, schema) => {
    const { client, sessionId, signal } = play
    const asked = { mode: 'form' as const, sessionId, message: 'What now?', requestedSchema: JSON.parse(schema) }
    const answer = await client.request('elicitation/create', asked, { cancellationSignal: signal })
    await say(play, JSON.stringify(answer))
  },
}

async function talk(play: ScriptContext, character: string, rest: string): Promise<void> {
  const [count = '', line = ''] = rest.split(/ (.*)/s)
  const asked = askPermission(play, line.replace(/^permission /, ''))
  for (let left = Number(count); left > 0; left -= 1000) await say(play, character.repeat(Math.min(left, 1000)))
  await say(play, `[${await asked}]`)
}

async function askPermission(play: ScriptContext, rest: string, withdrawn?: AbortSignal): Promise<string> {
  const [title = '', ...kinds] = rest.split(' ')
  const options = kinds.map((kind, index) => ({
    optionId: `${kind}-${index}`,
    name: kind,
    kind: kind as PermissionOptionKind,
  }))
  const asked = { sessionId: play.sessionId, toolCall: { toolCallId: `call-${title}`, title }, options }
  const how = withdrawn ? { cancellationSignal: withdrawn, stopWaitingOnCancel: true } : {}
  const { outcome }: RequestPermissionResponse = await play.client.request('session/request_permission', asked, how)
  return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'
}

/** Asks for a permission that the types of the protocol have not all of. @returns what came of it, as JSON. */
async function request({ client, sessionId }: ScriptContext, params: object): Promise<string> {
  return JSON.stringify(await client.request('session/request_permission', { sessionId, ...params } as never))
}
