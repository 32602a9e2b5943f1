import { useEffect, useRef, useState } from 'react'
import { useNavigation } from 'react-router'
import { Icon } from './icon.tsx'

/** The pause after which the search starts, so that it does not run for every letter. */
const PAUSE_MS = 250

/** Shows the search field of a list. The URL and the list are updated when the user pauses. */
export function SearchBox(props: { label: string; placeholder: string; value: string; onChange(text: string): void }) {
  const { label, placeholder, value, onChange } = props
  const [text, setText] = useState(value)
  const sent = useRef(value)
  // While another page loads, a change of the URL would cancel the user's click on its link.
  const isLeaving = useNavigation().state !== 'idle'
  useEffect(() => {
    // The URL has changed without typing, for example because the user went back.
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    if (text === sent.current || isLeaving) return
    const timer = setTimeout(() => {
      sent.current = text
      onChange(text)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, onChange, isLeaving])
  return (
    <label className="input">
      <Icon name="search" />
      <span className="sr">{label}</span>
      <input type="search" placeholder={placeholder} value={text} onChange={(event) => setText(event.target.value)} />
    </label>
  )
}
