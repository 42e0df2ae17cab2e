import { storeCookie } from '../../api/cookie.ts'
import { textScale } from './text-size.ts'

/** Width and height in px of the default text size. */
export type Size = { width: number; height: number }

/** The size of the reader's window, in the service. Undefined in a browser, which has a window. */
let readerWindow: Size | undefined

/** Sets the size of the reader's window before the service renders a page. */
export const setWindowSize = (size: Size): void => {
  readerWindow = size
}

const windowSize = (): Size => readerWindow ?? { width: innerWidth / textScale, height: innerHeight / textScale }

/** The width of the navigation, and the window width above which it is beside the screen, as in `style/frame.css`. */
const navigation = { width: 150, besideAbove: 900 }

/** The approximate size of a list that fills its screen, until it is measured. The service renders the first rows for it. */
export function estimatedListSize(): Size {
  const { width, height } = windowSize()
  return { width: width > navigation.besideAbove ? width - navigation.width : width, height }
}

/** Stores the size of the window and the time zone for the service, which renders the first rows of the next page. */
export function rememberWindow(): void {
  const store = () => {
    const { width, height } = windowSize()
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    storeCookie('window', `${Math.round(width)}x${Math.round(height)}@${zone}`)
  }
  store()
  addEventListener('pagehide', store)
}
