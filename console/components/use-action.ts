import { useState } from 'preact/hooks'
import { asFailure } from '../api/failure.ts'
import { toast } from './toast.tsx'

/** Does something once at a time; what the service says against it is shown where it was wanted. */
export function useActing() {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const act = async (todo: () => Promise<void>) => {
    setProblem(undefined)
    setBusy(true)
    try {
      await todo()
    } catch (error) {
      setProblem(told(error))
    }
    setBusy(false)
  }
  return { problem, isBusy, act }
}

/** The same for what has no place of its own to say it. @param what the sentence before what the service says. */
export async function attempt(todo: () => Promise<void>, what = ''): Promise<void> {
  try {
    await todo()
  } catch (error) {
    toast(what + told(error), { isBad: true })
  }
}

function told(error: unknown): string {
  const { message, requestId } = asFailure(error)
  return requestId ? `${message} (${requestId})` : message
}
