import type { ReactNode } from 'react'
import { Field } from '../../ui/form.tsx'
import type { RecordList } from './input-schema.ts'
import { RecordChoice } from './record-choice.tsx'

/** A labeled field that chooses one record, or several. */
export function RecordField(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  pointer?: string
  list: RecordList
  value: readonly string[]
  isMultiple?: boolean
  onChange(ids: readonly string[]): void
}) {
  const { list, value, isMultiple = false, onChange, ...field } = props
  return <Field {...field}>{(control) => <RecordChoice {...{ control, list, value, isMultiple, onChange }} />}</Field>
}
