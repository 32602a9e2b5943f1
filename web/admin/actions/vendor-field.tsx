import { Field } from '../../ui/form.tsx'
import { RecordChoice } from './record-choice.tsx'

/** Shows a field in which the user searches for a vendor. The value is the ID of the vendor, or empty. */
export function VendorField(props: {
  name?: string
  label?: string
  optional?: boolean
  value: string
  onChange(vendorId: string): void
}) {
  const { name = 'vendorId', label = 'Vendor', optional = false, value, onChange } = props
  return (
    <Field name={name} label={label} optional={optional}>
      {(control) => (
        <RecordChoice
          control={control}
          list={{ path: '/api/ext/vendors', searches: true }}
          value={value === '' ? [] : [value]}
          isMultiple={false}
          onChange={([id = '']) => onChange(id)}
        />
      )}
    </Field>
  )
}
