/** Carries messages to another process, in order. They arrive as copies. */
export type Port = {
  send: (message: unknown) => void
  onMessage: (listener: (message: unknown) => void) => void
  /** Hears, once, that nothing can be sent or will arrive any more. */
  onClose: (listener: () => void) => void
}

/** Calls that one side answers, by name. Questions and answers are what `structuredClone` can copy. */
// biome-ignore lint/suspicious/noExplicitAny: each handler names its own question; a record of them has none in common.
export type Handlers = Record<string, (question: any) => unknown>

/** Asks the other side, and answers it. */
export type Rpc<Theirs extends Handlers> = {
  /** @throws what the handler threw, as an Error with its message and code; RpcClosed when there is nobody to ask. */
  call: <Name extends keyof Theirs & string>(
    name: Name,
    question: Parameters<Theirs[Name]>[0],
  ) => Promise<Awaited<ReturnType<Theirs[Name]>>>
  isOpen: () => boolean
  onClose: (listener: () => void) => void
}

/** The other process has ended. Its code is that of a broken connection, and it is told to users as one. */
export class RpcClosed extends Error {
  readonly code = 'ECONNRESET'
}

type Call = { call: number; name: string; question: unknown }
type Answer = { answer: number } & ({ value: unknown } | { error: { message: string; code: unknown } })

/** Remote procedure calls in both directions over one port. */
export function createRpc<Theirs extends Handlers>(port: Port, ours: Handlers): Rpc<Theirs> {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let nextCall = 0
  let open = true
  const closed = () => new RpcClosed('The other process of this service has ended.')

  async function answer({ call, name, question }: Call): Promise<void> {
    const answered = await answerOf(ours, name, question)
    if (!open) return
    try {
      port.send({ answer: call, ...answered })
    } catch (error) {
      // What cannot be copied: its asker hears so, and waits no longer.
      port.send({ answer: call, ...failed(error) })
    }
  }
  function settle(answered: Answer): void {
    const asker = waiting.get(answered.answer)
    waiting.delete(answered.answer)
    if ('error' in answered)
      asker?.reject(Object.assign(new Error(answered.error.message), { code: answered.error.code }))
    else asker?.resolve(answered.value as never)
  }
  port.onMessage((message) => {
    const told = message as Call | Answer
    if ('call' in told) void answer(told)
    else settle(told)
  })
  port.onClose(() => {
    open = false
    for (const { reject } of waiting.values()) reject(closed())
    waiting.clear()
  })

  return {
    call: (name, question) =>
      new Promise((resolve, reject) => {
        if (!open) return reject(closed())
        const call = nextCall++
        // What cannot be copied is thrown here, and nobody waits for it.
        port.send({ call, name, question })
        waiting.set(call, { resolve, reject })
      }),
    isOpen: () => open,
    onClose: port.onClose,
  }
}

async function answerOf(ours: Handlers, name: string, question: unknown) {
  try {
    const handler = ours[name]
    if (!handler) throw new Error(`This process answers no call named ${name}.`)
    return { value: await handler(question) }
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown) {
  const { message, code } = error as Error & { code?: unknown }
  return { error: { message, code } }
}

/** Two ports that lead to each other, within one process: what tests use in the place of a channel. */
export function portPair(): [Port, Port, close: () => void] {
  const sides = [0, 1].map(() => ({ hear: (_message: unknown) => {}, whenClosed: new Set<() => void>() }))
  let closed = false
  const portOf = (own: number): Port => ({
    send(message) {
      const copy = structuredClone(message)
      setImmediate(() => !closed && sides[1 - own]!.hear(copy))
    },
    onMessage(listener) {
      sides[own]!.hear = listener
    },
    onClose: (listener) => void sides[own]!.whenClosed.add(listener),
  })
  const close = () => {
    closed = true
    for (const { whenClosed } of sides) for (const listener of whenClosed) listener()
  }
  return [portOf(0), portOf(1), close]
}
