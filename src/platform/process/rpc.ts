/** A channel to another process. Messages arrive in order, as copies. */
export type Port = {
  send: (message: unknown) => void
  onMessage: (listener: (message: unknown) => void) => void
  /** Calls the listener once when the channel has closed. */
  onClose: (listener: () => void) => void
}

/** The handlers of one side, by name. Arguments and results must be values that `structuredClone` can copy. */
// biome-ignore lint/suspicious/noExplicitAny: each handler has its own type of argument.
export type Handlers = Record<string, (request: any) => unknown>

/** Calls handlers of the other side. */
export type Rpc<Remote extends Handlers> = {
  /** @throws what the handler threw, as an Error with its message and code; `ECONNRESET` after the channel has closed. */
  call: <Name extends keyof Remote & string>(
    name: Name,
    request: Parameters<Remote[Name]>[0],
  ) => Promise<Awaited<ReturnType<Remote[Name]>>>
  isOpen: () => boolean
  onClose: (listener: () => void) => void
}

type CallMessage = { call: number; name: string; request: unknown }
type ResponseMessage = { answer: number } & ({ value: unknown } | { error: { message: string; code: unknown } })

/** Remote procedure calls in both directions over one port. */
export function createRpc<Remote extends Handlers>(port: Port, localHandlers: Handlers): Rpc<Remote> {
  const pendingCalls = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let nextCall = 0
  let isOpen = true
  // The code of a broken connection, so that it is reported as one.
  const createClosedError = () =>
    Object.assign(new Error('The other process of this service has ended.'), { code: 'ECONNRESET' })

  async function respond({ call, name, request }: CallMessage): Promise<void> {
    const result = await runHandler(localHandlers, name, request)
    if (!isOpen) return
    try {
      port.send({ answer: call, ...result })
    } catch (error) {
      // The result cannot be copied; the caller receives the error.
      port.send({ answer: call, ...toErrorResult(error) })
    }
  }
  function settle(response: ResponseMessage): void {
    const caller = pendingCalls.get(response.answer)
    pendingCalls.delete(response.answer)
    if ('error' in response)
      caller?.reject(Object.assign(new Error(response.error.message), { code: response.error.code }))
    else caller?.resolve(response.value as never)
  }
  port.onMessage((message) => {
    const received = message as CallMessage | ResponseMessage
    if ('call' in received) void respond(received)
    else settle(received)
  })
  port.onClose(() => {
    isOpen = false
    for (const { reject } of pendingCalls.values()) reject(createClosedError())
    pendingCalls.clear()
  })

  return {
    call: (name, request) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(createClosedError())
        const call = nextCall++
        // Throws if the argument cannot be copied, before the call is registered.
        port.send({ call, name, request })
        pendingCalls.set(call, { resolve, reject })
      }),
    isOpen: () => isOpen,
    onClose: port.onClose,
  }
}

async function runHandler(localHandlers: Handlers, name: string, request: unknown) {
  try {
    const handler = localHandlers[name]
    if (!handler) throw new Error(`This process has no handler for the call ${name}.`)
    return { value: await handler(request) }
  } catch (error) {
    return toErrorResult(error)
  }
}

function toErrorResult(error: unknown) {
  const { message, code } = error as Error & { code?: unknown }
  return { error: { message, code } }
}

/** Two connected ports in one process, for tests. */
export function portPair(): [Port, Port, close: () => void] {
  const sides = [0, 1].map(() => ({ deliver: (_message: unknown) => {}, closeListeners: new Set<() => void>() }))
  let closed = false
  const createPort = (side: number): Port => ({
    send(message) {
      const copy = structuredClone(message)
      setImmediate(() => !closed && sides[1 - side]!.deliver(copy))
    },
    onMessage(listener) {
      sides[side]!.deliver = listener
    },
    onClose: (listener) => void sides[side]!.closeListeners.add(listener),
  })
  const close = () => {
    closed = true
    for (const { closeListeners } of sides) for (const listener of closeListeners) listener()
  }
  return [createPort(0), createPort(1), close]
}
