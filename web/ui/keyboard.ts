/**
 * Returns whether a key press is not meant for the page: it is part of typing, or it belongs to the browser or to an
 * open dialog.
 */
export function isTypingKey({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return true
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return true
  // Finds the dialog by its class, because a toast also has the role of a dialog but does not handle keys.
  return document.querySelector('.dialog, [role="menu"]') !== null
}
