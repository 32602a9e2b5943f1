import { useSearchParams } from 'react-router'

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

/** Returns a function that sets or removes one query parameter and keeps the others. */
export function useQueryParam(name: string): (value: string) => void {
  const [, setParams] = useSearchParams()
  return (value) => setParams((before) => setQueryParam(before, name, value), { replace: true })
}

/** Returns the query with one parameter changed, for use in a link. */
export function setQueryParam(params: URLSearchParams, name: string, value: string): string {
  const after = new URLSearchParams(params)
  if (value === '') after.delete(name)
  else after.set(name, value)
  return after.toString()
}
