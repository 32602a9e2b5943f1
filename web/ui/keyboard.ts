/** Returns whether a key press belongs to typing, to the browser, or to an open dialog, and not to the page. */
export function isTypingKey({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return true
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return true
  // The dialog is selected by class, because a toast also has the role of a dialog but does not capture keys.
  return document.querySelector('.dialog, [role="menu"]') !== null
}
