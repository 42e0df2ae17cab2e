import type { ChildProcess } from 'node:child_process'
import type { Port } from '#platform/process/rpc.ts'

type Channel = Pick<ChildProcess, 'connected'> & {
  send?: (message: never, handle: undefined, options: undefined, told: (error: Error | null) => void) => boolean
  on: (event: 'message' | 'disconnect', listener: (message: unknown) => void) => unknown
}

/** Node's channel between a process and one that it has started, from either end. */
export function portOf(channel: Channel): Port {
  return {
    send(message) {
      // Whoever waits for an answer hears of the end by `onClose`.
      if (channel.connected) channel.send?.(message as never, undefined, undefined, () => {})
    },
    onMessage: (listener) => void channel.on('message', listener),
    // A process that could not be started has no channel, of whose end anybody would hear.
    onClose: (listener) => (channel.connected ? void channel.on('disconnect', listener) : queueMicrotask(listener)),
  }
}
