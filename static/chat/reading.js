// An older stretch of a conversation: nothing live, only the list and the dialogs.

import { openDialogs } from "./dialogs.js";
import { ConversationList } from "./list.js";

new ConversationList(document.getElementById("chat").dataset.list);
openDialogs({ onError: (words) => alert(words), onExchangeForm: async (form) => { form.submit(); return true; } });
