/** Minutes by which the reader's clock is ahead of UTC at a time. */
type Offset = (at: Date) => number

const offsetOfBrowser: Offset = (at) => -at.getTimezoneOffset()
let offset = offsetOfBrowser

export const zoneOffset: Offset = (at) => offset(at)

/**
 * Sets the time zone of the reader, such as `Europe/Berlin`, where it is not that of the process.
 * @throws RangeError if the zone is unknown.
 */
export function setTimeZone(zone: string): void {
  const format = formatOf(zone)
  offset = (at) => {
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(at)) ?? []
    return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
  }
}

/** Formats by time zone. They are cached, because creating one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, format)
  return format
}
