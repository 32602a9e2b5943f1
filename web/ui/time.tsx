import { useFormats } from './organization.ts'

/** An instant in the organization's zone; the instant itself is the tooltip. */
export function Time({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={at} className={className}>
      {useFormats().time(at)}
    </time>
  )
}

/** A date, with its weekday this year. */
export function Day({ on }: { on: string }) {
  return <time dateTime={on}>{useFormats().day(on)}</time>
}
