import { useFormats } from './use-formats.ts'

/** Shows a timestamp in the organization's time zone, with the exact value as a tooltip. */
export function TimeText({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={at} className={className}>
      {useFormats().time(at)}
    </time>
  )
}

/** Shows a date. Includes the weekday if the date is in the current year. */
export function DateText({ on }: { on: string }) {
  return <time dateTime={on}>{useFormats().day(on)}</time>
}
