import { useId } from 'react'

export interface Choice<Value> {
  value: Value
  label: string
}

/** Lets the user choose one value. The buttons are large enough for a gloved hand. */
export function Chips<Value extends string | number | boolean>(props: {
  legend: string
  choices: readonly Choice<Value>[]
  value: NoInfer<Value> | null
  onChoose(value: NoInfer<Value>): void
}) {
  const name = useId()
  return (
    <fieldset className="choices">
      <legend>{props.legend}</legend>
      {props.choices.map(({ value, label }) => (
        <label key={String(value)} className="choice">
          <input type="radio" name={name} checked={props.value === value} onChange={() => props.onChoose(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}
