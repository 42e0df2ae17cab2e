import type { ChildProcess } from 'node:child_process'
import type { Port } from '#platform/process/rpc.ts'

type Channel = Pick<ChildProcess, 'connected'> & {
  send?: (message: never, handle: undefined, options: undefined, callback: (error: Error | null) => void) => boolean
  on: (event: 'message' | 'disconnect', listener: (message: unknown) => void) => unknown
}

/** Returns the port of Node's IPC channel between a process and its child, for either end. */
export function createChannelPort(channel: Channel): Port {
  return {
    send(message) {
      // Callers that wait for a response are notified of the end by `onClose`.
      if (channel.connected) channel.send?.(message as never, undefined, undefined, () => {})
    },
    onMessage: (listener) => void channel.on('message', listener),
    // A process that could not be started has no channel and no `disconnect` event.
    onClose: (listener) => (channel.connected ? void channel.on('disconnect', listener) : queueMicrotask(listener)),
  }
}
