import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Icon } from './icon.tsx'

/** Shows a choice whose value is in the URL. The first option is the default. */
export function ParamSelect(props: {
  name: string
  label: string
  options: readonly { value: string; label: string }[]
}) {
  const { name, label, options } = props
  const [params] = useSearchParams()
  const set = useQueryParam(name)
  return (
    <label className="row">
      {label}
      <select className="input" value={params.get(name) ?? ''} onChange={(event) => set(event.target.value)}>
        {options.map(({ value, label: word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Shows a date field whose value is in the URL. An empty value means no date. */
export function ParamDate({ name, label }: { name: string; label: string }) {
  const [params] = useSearchParams()
  const set = useQueryParam(name)
  return (
    <label className="row">
      {label}
      <input
        type="date"
        className="input"
        value={params.get(name) ?? ''}
        onChange={(event) => set(event.target.value)}
      />
    </label>
  )
}

/** Shows a filter that a link to the page set. The user can only remove it. */
export function ParamChip({ name, label, value }: { name: string; label: string; value: ReactNode }) {
  const set = useQueryParam(name)
  return (
    <span className="chip on">
      {label}: {value}
      <button type="button" aria-label={`Remove the filter ${label}`} onClick={() => set('')}>
        <Icon name="x" />
      </button>
    </span>
  )
}

/** Returns a function that sets or removes one query parameter and keeps the others. */
export function useQueryParam(name: string): (value: string) => void {
  const [, setParams] = useSearchParams()
  return (value) => setParams((before) => setQueryParam(before, name, value), { replace: true })
}

/** The query parameters with the position at which the shown page of a list starts. */
const PLACE_PARAMS = ['cursor', 'after']

/**
 * Returns the query with one parameter changed, for use in a link. A list with another filter starts again at its first
 * page.
 */
export function setQueryParam(params: URLSearchParams, name: string, value: string): string {
  const after = new URLSearchParams(params)
  for (const place of PLACE_PARAMS) after.delete(place)
  if (value === '') after.delete(name)
  else after.set(name, value)
  return after.toString()
}
