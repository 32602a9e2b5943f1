import { type ControlDraft, isPrivateName } from './form-drafts.ts'

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Types of inputs whose values are never stored. */
const PRIVATE_TYPES: ReadonlySet<string> = new Set(['password', 'file', 'hidden'])

/**
 * Returns the control that an event has changed, if its value may be stored. The text in the search of a choice is not
 * a value.
 */
export function findStorableControl(target: EventTarget | null): Control | null {
  const isControl =
    target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
  if (!isControl || target.name === '' || isPrivateName(target.name)) return null
  return PRIVATE_TYPES.has(target.type) || target.role === 'combobox' ? null : target
}

export function readControl(control: Control): ControlDraft {
  const { name, value } = control
  return isChecked(control) ? { name, value, checked: control.checked } : { name, value }
}

/** Returns whether two drafts are of the same control. */
export function isSameControl(a: ControlDraft, b: ControlDraft): boolean {
  return a.name === b.name && (a.checked === undefined || a.value === b.value)
}

/**
 * Fills a draft into its control and returns the previous state; null if the form does not have the control, or a
 * select does not have the option. Some controls are added only after the data of the page has loaded.
 */
export function fillControl(form: HTMLFormElement, draft: ControlDraft): ControlDraft | null {
  for (const control of form.elements) {
    const storable = findStorableControl(control)
    if (storable === null) continue
    const before = readControl(storable)
    if (!isSameControl(before, draft)) continue
    if (isChecked(storable)) {
      if (draft.checked !== storable.checked && (draft.checked === true || storable.type === 'checkbox'))
        storable.click()
      return before
    }
    if (
      storable instanceof HTMLSelectElement &&
      !Array.from(storable.options, ({ value }) => value).includes(draft.value)
    )
      return null
    setValue(storable, draft.value)
    return before
  }
  return null
}

function isChecked(control: Control): control is HTMLInputElement {
  return control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')
}

/** Sets the value as if the user had entered it, so that React notices the change in controls that it manages. */
function setValue(control: Control, value: string): void {
  if (control.value === value) return
  // React replaces the setter of each control to ignore changes by scripts. The setter of the class is unchanged.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control) as object, 'value')?.set?.call(control, value)
  control.dispatchEvent(new Event('input', { bubbles: true }))
  control.dispatchEvent(new Event('change', { bubbles: true }))
}
