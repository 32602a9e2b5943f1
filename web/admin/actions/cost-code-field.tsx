import { Field } from '../../ui/form.tsx'
import { RecordChoice } from './record-choice.tsx'

/** Shows an optional field in which the user searches for a cost code. The value is the ID of the code, or empty. */
export function CostCodeField(props: {
  name?: string
  hint?: string
  /** The pointer of the field's errors, if it is not the pointer of the property. */
  pointer?: string
  value: string
  onChange(costCodeId: string): void
}) {
  const { name = 'costCodeId', hint, pointer, value, onChange } = props
  return (
    <Field
      name={name}
      label="Cost code"
      optional
      {...(hint !== undefined && { hint })}
      {...(pointer !== undefined && { pointer })}
    >
      {(control) => (
        <RecordChoice
          control={control}
          list={{ path: '/api/ext/cost-codes', searches: true }}
          value={value === '' ? [] : [value]}
          isMultiple={false}
          onChange={([id = '']) => onChange(id)}
        />
      )}
    </Field>
  )
}
