import { type ControlDraft, isPrivateName } from './form-drafts.ts'

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The types of input controls whose values are never stored. */
const PRIVATE_TYPES: ReadonlySet<string> = new Set(['password', 'file', 'hidden'])

/**
 * Returns the control that an event has changed; null if its value must not be stored. The search text of a choice is
 * not a value. A control with `data-draft="off"` only shows entries that the form stores in another way.
 */
export function findStorableControl(target: EventTarget | null): Control | null {
  const isControl =
    target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
  if (!isControl || target.name === '' || isPrivateName(target.name) || target.dataset.draft === 'off') return null
  return PRIVATE_TYPES.has(target.type) || target.role === 'combobox' ? null : target
}

export function readControl(control: Control): ControlDraft {
  const { name, value } = control
  return isChecked(control) ? { name, value, checked: control.checked } : { name, value }
}

/** Returns whether two drafts belong to the same control. */
export function isSameControl(a: ControlDraft, b: ControlDraft): boolean {
  return a.name === b.name && (a.checked === undefined || a.value === b.value)
}

/**
 * Fills a draft into its control and returns the control's previous state. Returns null if the form has no such control
 * or the select has no such option. Some controls are added only after the page has loaded its data.
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

/** Sets the value as if the user had entered it, so that React notices the change. */
function setValue(control: Control, value: string): void {
  if (control.value === value) return
  // React replaces the setter of each control, so that it does not notice changes by scripts. The setter of the class
  // is unchanged.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control) as object, 'value')?.set?.call(control, value)
  control.dispatchEvent(new Event('input', { bubbles: true }))
  control.dispatchEvent(new Event('change', { bubbles: true }))
}
