import { useState } from 'preact/hooks'
import { asFailure } from '../api/failure.ts'
import { toast } from './toast.tsx'

/** Does something once at a time; what the service says against it is shown where it was wanted. */
export function useAction() {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const act = async (action: () => Promise<void>) => {
    setProblem(undefined)
    setBusy(true)
    try {
      await action()
    } catch (error) {
      setProblem(errorText(error))
    }
    setBusy(false)
  }
  return { problem, isBusy, act }
}

/** The same for what has no place of its own to say it. @param prefix the sentence before what the service says. */
export async function runOrToast(action: () => Promise<void>, prefix = ''): Promise<void> {
  try {
    await action()
  } catch (error) {
    toast(prefix + errorText(error), { isBad: true })
  }
}

function errorText(error: unknown): string {
  const { message, requestId } = asFailure(error)
  return requestId ? `${message} (${requestId})` : message
}
