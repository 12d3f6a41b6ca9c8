// A link after its exchange was rendered anew: one of the same look that leads to the same place; or the field of the same id.

export function twin(link, root = document) {
  if (link.id) return root.querySelector(`#${CSS.escape(link.id)}`) ?? undefined;
  const href = link.getAttribute("href");
  if (!href) return undefined;
  return [...root.querySelectorAll(`a[href="${CSS.escape(href)}"]`)].find((other) => other.className === link.className);
}
