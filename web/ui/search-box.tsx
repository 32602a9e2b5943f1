import { useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

/** So that a word is looked for once rather than letter by letter. */
const PAUSE_MS = 250

/** The search of a list. What is typed reaches the address, and with it the list, when the fingers rest. */
export function SearchBox(props: { label: string; placeholder: string; value: string; onChange(text: string): void }) {
  const { label, placeholder, value, onChange } = props
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    // The address changed by itself, as when somebody goes back.
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      onChange(text)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, onChange])
  return (
    <label className="input">
      <Icon name="search" />
      <span className="sr">{label}</span>
      <input type="search" placeholder={placeholder} value={text} onChange={(event) => setText(event.target.value)} />
    </label>
  )
}
