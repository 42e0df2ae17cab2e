import type { PermissionOptionKind, RequestPermissionResponse } from '@agentclientprotocol/sdk'
import { type Command, type ScriptContext, say } from './script-context.ts'

/** The commands with which a scripted agent asks its client. */
export const questionCommands: Record<string, Command> = {
  /** Offers options in the form of the protocol: `choose [{"optionId": "a", "name": "A", "kind": "allow_once"}]`. */
  choose: async (context, json) => {
    const toolCall = { toolCallId: 'choose', title: 'choose' }
    const { outcome } = JSON.parse(await request(context, { toolCall, options: JSON.parse(json) }))
    await say(context, `[${outcome.optionId ?? 'cancelled'}]`)
  },
  permission: (context, rest) => askPermission(context, rest).then((answer) => say(context, `[${answer}]`)),
  /** Two questions at once. */
  permissions: async (context, rest) => {
    const both = [askPermission(context, `first ${rest}`), askPermission(context, `second ${rest}`)]
    await say(context, `[${(await Promise.all(both)).join(', ')}]`)
  },
  /** Asks, and withdraws the question after a time. */
  withdraw: async (context, rest) => {
    const withdrawal = AbortSignal.timeout(Number(rest))
    const answer = askPermission(context, 'shell allow_once', withdrawal).catch(() => 'withdrawn')
    await say(context, `[${await answer}]`)
  },
  /** Continues to write while a question waits: `talk 1000 permission shell allow_once`. */
  talk: (context, rest) => continueDialogue(context, 'x', rest),
  /** Does the same as `talk`, but writes the named character: `talk_of ä 1000 permission shell allow_once`. */
  talk_of: (context, rest) => {
    const [character = '', more = ''] = rest.split(/ (.*)/s)
    return continueDialogue(context, character, more)
  },
  /** Asks to write a file, with the content in the form of the protocol: `edit run.sh {"before": "a", "after": "b"}`. */
  edit: async (context, rest) => {
    const [path = '', json = '{}'] = rest.split(/ (.*)/s)
    const { before = null, after = '', repeat = 1 } = JSON.parse(json)
    const content = [{ type: 'diff', path, oldText: before, newText: after.repeat(repeat) }]
    const toolCall = { toolCallId: `call-${path}`, title: 'Edit files', kind: 'edit', content, locations: [{ path }] }
    await say(
      context,
      `[${await request(context, { toolCall, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] })}]`,
    )
  },
  /** A question in the dialect of qwen: `quiz [{"question": "Where?", "options": [{"label": "Here"}]}]`. */
  quiz: async (context, rest) => {
    const _meta = { qwenInteractionKind: 'user_question', qwenQuestions: JSON.parse(rest) }
    const options = [
      { optionId: 'proceed_once', name: 'Submit', kind: 'allow_once' },
      { optionId: 'cancel', name: 'Cancel', kind: 'reject_once' },
    ]
    const toolCall = { toolCallId: 'quiz', title: 'Ask user 1 question', kind: 'think', _meta }
    await say(context, await request(context, { toolCall, options }))
  },
  ask: async (context, schema) => {
    const { client, sessionId, signal } = context
    const params = { mode: 'form' as const, sessionId, message: 'What now?', requestedSchema: JSON.parse(schema) }
    const answer = await client.request('elicitation/create', params, { cancellationSignal: signal })
    await say(context, JSON.stringify(answer))
  },
}

async function continueDialogue(context: ScriptContext, character: string, rest: string): Promise<void> {
  const [count = '', line = ''] = rest.split(/ (.*)/s)
  const answer = askPermission(context, line.replace(/^permission /, ''))
  for (let remaining = Number(count); remaining > 0; remaining -= 1000)
    await say(context, character.repeat(Math.min(remaining, 1000)))
  await say(context, `[${await answer}]`)
}

async function askPermission(context: ScriptContext, rest: string, withdrawal?: AbortSignal): Promise<string> {
  const [title = '', ...kinds] = rest.split(' ')
  const options = kinds.map((kind, index) => ({
    optionId: `${kind}-${index}`,
    name: kind,
    kind: kind as PermissionOptionKind,
  }))
  const params = { sessionId: context.sessionId, toolCall: { toolCallId: `call-${title}`, title }, options }
  const sendOptions = withdrawal ? { cancellationSignal: withdrawal, stopWaitingOnCancel: true } : {}
  const { outcome }: RequestPermissionResponse = await context.client.request(
    'session/request_permission',
    params,
    sendOptions,
  )
  return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'
}

/** Sends a permission request with fields that the protocol's types lack. @returns the response as JSON. */
async function request({ client, sessionId }: ScriptContext, params: object): Promise<string> {
  return JSON.stringify(await client.request('session/request_permission', { sessionId, ...params } as never))
}
