import { useState } from 'preact/hooks'
import { asFailure } from '../../api/failure.ts'
import { toast } from '../page/toast.tsx'

/** Runs an action. The component displays `problem`, the error of the last one, and disables its buttons while `isBusy`. */
export function useAction() {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const run = async (action: () => Promise<void>) => {
    setProblem(undefined)
    setBusy(true)
    try {
      await action()
    } catch (error) {
      setProblem(errorText(error))
    }
    setBusy(false)
  }
  /** Returns the handler that runs an action when a form is submitted. */
  const onSubmit = (action: (form: HTMLFormElement) => Promise<void>) => (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    void run(() => action(form))
  }
  return { problem, isBusy, run, onSubmit }
}

/** Runs an action and shows its error in a toast. @param prefix precedes the error message. */
export async function runOrToast(action: () => Promise<unknown>, prefix = ''): Promise<void> {
  try {
    await action()
  } catch (error) {
    toast(prefix + errorText(error), { isError: true })
  }
}

function errorText(error: unknown): string {
  const { message, requestId } = asFailure(error)
  return requestId ? `${message} (${requestId})` : message
}
